import type { Chat, User } from 'telegraf/types';
import { UnreadableError } from '../../fault-words';
import type { InboundMessage, Participant } from '../../platform.port';
import { attachmentsOf } from './attachments';
import { type AnyMessage, contentOf } from './inbound-content';

/** An update in the gateway's terms: a message, or a group's move to a supergroup. */
export type Received = { message: InboundMessage } | { migration: { from: string; to: string } };

/**
 * Reads a message; undefined if there is nothing in it to store.
 * @throws when it is not what the Bot API documents
 */
export function readMessage(message: AnyMessage): Received | undefined {
  if (!(message as Partial<AnyMessage>).chat) throw new UnreadableError('the message has no chat');
  const chat = String(message.chat.id);
  if (message.migrate_to_chat_id !== undefined)
    return { migration: { from: chat, to: String(message.migrate_to_chat_id) } };

  const content = contentOf(message);
  if (!content) return undefined;
  const participant = ofChat(message.chat);
  const sender = message.sender_chat ? ofChat(message.sender_chat) : message.from ? ofUser(message.from) : participant;
  const sentAt = timeOf(message.date);
  const platformMessageId = messageIdOf(message);
  const received = { platformMessageId, participant, sender, ...content, sentAt, expectsReply: isByPerson(message) };
  const attachments = attachmentsOf(message);
  const albumId = attachments.length > 0 ? message.media_group_id : undefined;
  return {
    message: {
      ...received,
      ...(attachments.length > 0 && { attachments }),
      ...(albumId !== undefined && { albumId, hasCaption: Boolean(message.caption) }),
    },
  };
}

/** Invalid where it is missing: the message then counts as written when it arrived. */
function timeOf(date: number | undefined): Date {
  if (date !== undefined && !Number.isSafeInteger(date)) throw new UnreadableError('the message has no date');
  return new Date((date ?? Number.NaN) * 1000);
}

/** Message ids are unique only within their chat. Some servers give them as strings. */
export function messageIdOf(message: { chat: { id: number | string }; message_id: number | string }): string {
  const { chat, message_id: id } = message;
  if (typeof id === 'number' ? !Number.isSafeInteger(id) : typeof id !== 'string' || !/^\d+$/.test(id))
    throw new UnreadableError('the message has no id');
  return `${chat.id}:${id}`;
}

/** Ids of groups and channels are negative (https://core.telegram.org/bots/api#chat), where the type is missing. */
function isPrivate(chat: Chat): chat is Chat.PrivateChat {
  const type: string | undefined = chat.type;
  return type === 'private' || (type === undefined && chat.id > 0);
}

export function ofChat(chat: Chat): Participant {
  const username = 'username' in chat ? (chat.username ?? null) : null;
  if (!isPrivate(chat)) return { id: String(chat.id), name: chat.title ?? null, username };
  return { id: String(chat.id), name: nameOf(chat.first_name, chat.last_name), username };
}

export function ofUser(user: User): Participant {
  return { id: String(user.id), name: nameOf(user.first_name, user.last_name), username: user.username ?? null };
}

function nameOf(first: string | undefined, last: string | undefined): string | null {
  return [first, last].filter(Boolean).join(' ') || null;
}

/**
 * Whether its author may be answered: two bots that answer each other would never stop, and a post of a channel that is
 * copied to its group asks nothing. For a person who writes in the name of a chat, `from` shows a bot.
 */
function isByPerson({ from, sender_chat, is_automatic_forward }: AnyMessage): boolean {
  return is_automatic_forward !== true && (sender_chat !== undefined || from?.is_bot !== true);
}
