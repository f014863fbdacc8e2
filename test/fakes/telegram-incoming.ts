import type { TelegramChat, TelegramChatType, TelegramMessage, TelegramUser } from './telegram-types';

export interface ReceivedText {
  chatId: number;
  text: string;
  /** The sender; by default a person with the chat's id, as in a private chat. */
  from?: { id: number; first_name: string; last_name?: string; username?: string; is_bot?: boolean };
  chatType?: TelegramChatType;
  title?: string;
  /** The message that this one answers, or its `message_id`: the fake knows the text of a message that the bot sent. */
  replyTo?: number | TelegramMessage;
  /** The words of that message that the person marked. */
  quote?: string;
  /** The `message_thread_id` of a forum topic. */
  topic?: number;
}

/** @param sent finds what the bot sent to the chat under an id */
export function incomingText(
  received: ReceivedText,
  message_id: number,
  sent: (messageId: number) => Partial<TelegramMessage> | undefined,
): TelegramMessage {
  const { chatId, text, from, chatType = 'private', title, topic } = received;
  const sender: TelegramUser = { is_bot: false, ...(from ?? { id: chatId, first_name: `Person ${chatId}` }) };
  const { first_name, username } = sender;
  const chat: TelegramChat =
    chatType === 'private'
      ? { id: chatId, type: chatType, first_name, ...(username && { username }) }
      : { id: chatId, type: chatType, title: title ?? `Chat ${chatId}`, ...(topic && { is_forum: true as const }) };
  const date = Math.floor(Date.now() / 1000);
  const { replyTo, quote } = received;
  const inTopic = topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true as const };
  const answered =
    typeof replyTo === 'number'
      ? { message_id: replyTo, chat, date, ...sent(replyTo) }
      : (replyTo ?? topicRoot(chat, date, topic));
  const position = Math.max((answered?.text ?? '').indexOf(quote ?? ''), 0);
  return {
    message_id,
    from: sender,
    chat,
    date,
    text,
    ...inTopic,
    ...(answered && { reply_to_message: answered }),
    ...(quote !== undefined && { quote: { text: quote, position, is_manual: true } }),
  };
}

/** In a topic, a message that answers no other one refers to the message that opened the topic. */
function topicRoot(chat: TelegramChat, date: number, topic: number | undefined): TelegramMessage['reply_to_message'] {
  if (topic === undefined) return undefined;
  const forum_topic_created = { name: `Topic ${topic}`, icon_color: 0 };
  const about = { message_thread_id: topic, is_topic_message: true as const, forum_topic_created };
  return { message_id: topic, chat, date, ...about };
}
