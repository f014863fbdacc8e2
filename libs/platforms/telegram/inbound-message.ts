import type { Chat, MessageEntity, User, UserFromGetMe } from 'telegraf/types';
import type { InboundMessage, Participant } from '../platform.port';
import { type AnyMessage, contentOf } from './inbound-content';

/** What an update means for the gateway. */
export type Delivery = { message: InboundMessage } | { migration: { from: string; to: string } };

/**
 * Reads a message; undefined if there is nothing in it to store. Throws (a TypeError, usually) when it is not what the
 * Bot API documents.
 */
export function readMessage(message: AnyMessage, bot: UserFromGetMe): Delivery | undefined {
  const chat = String(message.chat.id);
  if (message.migrate_to_chat_id !== undefined)
    return { migration: { from: chat, to: String(message.migrate_to_chat_id) } };

  const content = contentOf(message);
  if (!content) return undefined;
  const participant = ofChat(message.chat);
  const sender = message.sender_chat ? ofChat(message.sender_chat) : message.from ? ofUser(message.from) : participant;
  const sentAt = timeOf(message.date);
  const expectsReply = !message.from?.is_bot && (isPrivate(message.chat) || isMeant(message, bot));
  return {
    message: { platformMessageId: messageIdOf(message), participant, sender, ...content, sentAt, expectsReply },
  };
}

/** Invalid where it is missing: the message then counts as written when it arrived. */
function timeOf(date: number | undefined): Date {
  if (date !== undefined && !Number.isSafeInteger(date)) throw new TypeError('the message has no date');
  return new Date((date ?? Number.NaN) * 1000);
}

/** Message ids are unique only within their chat. */
export function messageIdOf(message: { chat: { id: number | string }; message_id: number }): string {
  if (!Number.isSafeInteger(message.message_id)) throw new TypeError('the message has no id');
  return `${message.chat.id}:${message.message_id}`;
}

/** Ids of groups and channels are negative (https://core.telegram.org/bots/api#chat), where the type is missing. */
function isPrivate(chat: Chat): chat is Chat.PrivateChat {
  const type: string | undefined = chat.type;
  return type === 'private' || (type === undefined && chat.id > 0);
}

function ofChat(chat: Chat): Participant {
  const username = 'username' in chat ? (chat.username ?? null) : null;
  if (!isPrivate(chat)) return { id: String(chat.id), name: chat.title ?? null, username };
  return { id: String(chat.id), name: nameOf(chat.first_name, chat.last_name), username };
}

function ofUser(user: User): Participant {
  return { id: String(user.id), name: nameOf(user.first_name, user.last_name), username: user.username ?? null };
}

function nameOf(first: string | undefined, last: string | undefined): string | null {
  return [first, last].filter(Boolean).join(' ') || null;
}

/** Whether a message in a group is for the bot: it mentions it, answers it or is a command that it may take. */
function isMeant(message: AnyMessage, bot: UserFromGetMe): boolean {
  if (message.reply_to_message?.from?.id === bot.id) return true;
  const text = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some((entity) => addresses(entity, text, bot));
}

function addresses(entity: MessageEntity, text: string, bot: UserFromGetMe): boolean {
  const words = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
  const name = `@${bot.username?.toLowerCase()}`;
  if (entity.type === 'mention') return words === name;
  if (entity.type === 'text_mention') return entity.user.id === bot.id;
  // `/weather` is for every bot of the group, `/weather@other_bot` for another.
  return entity.type === 'bot_command' && (!words.includes('@') || words.endsWith(name));
}
