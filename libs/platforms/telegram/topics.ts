import type { TelegramMessage } from '@gramio/types/objects';
import { topicId } from '#contracts';

/** The thread of the General topic, to which messages are sent without a thread. */
const GENERAL = 1;

/** Where the Bot API sends a message. */
export interface Place {
  chat: number | string;
  thread?: number;
}

/** The conversation of a message: its topic, or its chat. A thread of replies in an ordinary group is no topic. */
export function participantOf({
  chat,
  message_thread_id: thread,
  is_topic_message: isInTopic,
}: Pick<TelegramMessage, 'chat' | 'message_thread_id' | 'is_topic_message'>): string {
  const id = String(chat.id);
  return isInTopic && thread !== undefined && !isGeneral(id, thread) ? topicId(id, thread) : id;
}

/** The participant that a client names: the General topic of a group is the group. */
export function participantNamed(recipient: string): string {
  const [chat = '', thread] = recipient.split('/');
  return thread !== undefined && isGeneral(chat, Number(thread)) ? chat : recipient;
}

export function placeOf(recipient: string): Place {
  const [name = '', thread] = participantNamed(recipient).split('/');
  const id = Number(name);
  const chat = /^-?\d+$/.test(name) && Number.isSafeInteger(id) ? id : name;
  return thread === undefined ? { chat } : { chat, thread: Number(thread) };
}

/** In the chat of a person a topic may be the first message. */
function isGeneral(chatId: string, thread: number): boolean {
  return thread === GENERAL && chatId.startsWith('-');
}
