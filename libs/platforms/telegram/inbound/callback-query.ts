import type { CallbackQuery } from 'telegraf/types';
import type { InboundMessage } from '../../platform.port';
import { choiceOf } from '../../interactive';
import { messageIdOf, ofChat, ofUser } from './inbound-message';

/** The chosen option; undefined for a tap that names no message or carries nothing. */
export function readCallbackQuery(query: CallbackQuery): InboundMessage | undefined {
  const { id, from, message } = query;
  const data = 'data' in query ? query.data : undefined;
  if (!message || data === undefined) return undefined;
  const markup = 'reply_markup' in message ? message.reply_markup : undefined;
  const button = markup?.inline_keyboard.flat().find((one) => 'callback_data' in one && one.callback_data === data);
  const title = button?.text ?? data;
  return {
    platformMessageId: `callback:${id}`,
    participant: ofChat(message.chat),
    sender: ofUser(from),
    content: title,
    kind: 'text',
    // Telegram sends no time: the time of arrival counts.
    sentAt: new Date(Number.NaN),
    interactiveReply: { ...choiceOf(data), title, platformMessageId: messageIdOf(message) },
  };
}
