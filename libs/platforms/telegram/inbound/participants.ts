import type { TelegramChat, TelegramMessage, TelegramUser } from '@gramio/types/objects';
import { UnreadableError } from '../../fault-words';
import type { Participant } from '../../platform.port';

interface Identified {
  chat: { id: number | string };
  message_id: number | string;
  ephemeral_message_id?: number;
  date?: number;
}

/**
 * Message ids are unique only within their chat. Some servers give them as strings. An ephemeral message has the id 0 and one
 * of its own, which Telegram uses again after the message is gone.
 */
export function messageIdOf({ chat, message_id: id, ephemeral_message_id, date }: Identified): string {
  if (id === 0 && ephemeral_message_id !== undefined) return `${chat.id}:0:${ephemeral_message_id}.${date ?? 0}`;
  if (typeof id === 'number' ? !Number.isSafeInteger(id) : typeof id !== 'string' || !/^\d+$/.test(id))
    throw new UnreadableError('the message has no id');
  return `${chat.id}:${id}`;
}

/** Ids of groups and channels are negative (https://core.telegram.org/bots/api#chat), where the type is missing. */
export function isPrivate({ id, type }: TelegramChat): boolean {
  return type === 'private' || ((type as string | undefined) === undefined && id > 0);
}

export function ofChat(chat: TelegramChat): Participant {
  const name = isPrivate(chat) ? nameOf(chat.first_name, chat.last_name) : (chat.title ?? null);
  return { id: String(chat.id), name, username: chat.username ?? null };
}

export function ofUser(user: TelegramUser): Participant {
  return { id: String(user.id), name: nameOf(user.first_name, user.last_name), username: user.username ?? null };
}

/** For a person who writes in the name of a chat, `from` shows a bot. */
export function senderOf({ sender_chat, from, chat }: TelegramMessage): Participant {
  return sender_chat ? ofChat(sender_chat) : from ? ofUser(from) : ofChat(chat);
}

function nameOf(first: string | undefined, last: string | undefined): string | null {
  return [first, last].filter(Boolean).join(' ') || null;
}
