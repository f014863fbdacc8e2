import type { InlineKeyboardMarkup } from 'telegraf/types';
import type { Interactive } from '../../interactive.port';
import { keyOf } from '../../interactive';

/** The most bytes of a button's `callback_data`. */
const MOST_BYTES = 64;

/** https://core.telegram.org/bots/api#inlinekeyboardmarkup */
export function keyboardOf({ options }: Interactive): InlineKeyboardMarkup {
  return {
    inline_keyboard: options.map((option, index) => [
      option.url === undefined
        ? { text: option.title, callback_data: keyOf(option, index, MOST_BYTES) }
        : { text: option.title, url: option.url },
    ]),
  };
}
