import type { TelegramCallbackQuery } from '@gramio/types/objects';
import type { InboundMessage } from '../../platform.port';
import { choiceOf } from '../../interactive';
import { participantOf } from '../topics';
import { isPrivate, messageIdOf, ofChat, ofUser } from './participants';

/**
 * The chosen option; undefined for a tap that names no message or carries nothing. Telegram shows no buttons of a message that
 * it no longer gives to the bot: the title is empty then.
 */
export function readCallbackQuery({ id, from, message, data }: TelegramCallbackQuery): InboundMessage | undefined {
  if (!message || data === undefined) return undefined;
  const markup = 'reply_markup' in message ? message.reply_markup : undefined;
  const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : [];
  const title = buttons.find(({ callback_data }) => callback_data === data)?.text ?? '';
  return {
    platformMessageId: `callback:${id}`,
    participant: { ...ofChat(message.chat), id: participantOf(message) },
    sender: ofUser(from),
    content: title || data,
    kind: 'text',
    // Telegram sends no time: the time of arrival counts.
    sentAt: new Date(Number.NaN),
    ...(!isPrivate(message.chat) && { mentionsBot: true }),
    interactiveReply: { ...choiceOf(data), title, platformMessageId: messageIdOf(message) },
  };
}
