import type { TelegramMessage } from '@gramio/types/objects';
import type { UserFromGetMe } from 'telegraf/types';
import { UnreadableError } from '../../fault-words';
import type { InboundMessage } from '../../platform.port';
import { attachmentsOf } from './attachments';
import { contentOf, type Ignored } from './inbound-content';
import { isPrivate, messageIdOf, ofChat, senderOf } from './participants';
import { readRichMessage } from './kinds/rich-message';
import { participantOf } from '../topics';
import { quotationOf, repliedTo } from './quotation';

/** An update in the gateway's terms: a message, a group's move to a supergroup, or a service message. */
export type Received = { message: InboundMessage } | { migration: { from: string; to: string } } | Ignored;

type Bot = Pick<UserFromGetMe, 'id' | 'username'>;

/**
 * Reads a message.
 * @throws when it is not what the Bot API documents
 */
export function readMessage(message: TelegramMessage, bot: Bot): Received {
  if (!(message as Partial<TelegramMessage>).chat) throw new UnreadableError('the message has no chat');
  const chat = String(message.chat.id);
  if (message.migrate_to_chat_id !== undefined)
    return { migration: { from: chat, to: String(message.migrate_to_chat_id) } };

  const content = contentOf(message);
  if ('ignored' in content) return content;
  const attachments = attachmentsOf(message);
  const albumId = attachments.length > 0 ? message.media_group_id : undefined;
  const replyTo = quotationOf(message);
  return {
    message: {
      platformMessageId: messageIdOf(message),
      participant: { ...ofChat(message.chat), id: participantOf(message) },
      sender: senderOf(message),
      sentAt: timeOf(message.date),
      expectsReply: mayBeAnswered(message),
      ...(!isPrivate(message.chat) && { mentionsBot: mentions(message, bot) }),
      ...content,
      ...(attachments.length > 0 && { attachments }),
      ...(albumId !== undefined && { albumId, hasCaption: Boolean(message.caption) }),
      ...(replyTo && { replyTo }),
    },
  };
}

/** Invalid where it is missing: the message then counts as written when it arrived. */
function timeOf(date: number | undefined): Date {
  if (date !== undefined && !Number.isSafeInteger(date)) throw new UnreadableError('the message has no date');
  return new Date((date ?? Number.NaN) * 1000);
}

/**
 * Whether its author may be answered. Two bots that answer each other would never stop, and a post of a channel that is
 * copied to its group asks nothing. An answer to an ephemeral message would show the group what only the bot may see.
 */
function mayBeAnswered(message: TelegramMessage): boolean {
  const { from, sender_chat, is_automatic_forward, ephemeral_message_id } = message;
  if (is_automatic_forward === true || ephemeral_message_id !== undefined) return false;
  return sender_chat !== undefined || from?.is_bot !== true;
}

/** A reply to a message of the bot, `@gateway_bot`, `/help@gateway_bot`, or a mention of a bot without a name. */
function mentions(message: TelegramMessage, { id, username }: Bot): boolean {
  if (repliedTo(message)?.from?.id === id) return true;
  const name = username?.toLowerCase();
  return mentionsIn(message).some(
    (mention) => mention.user?.id === id || (Boolean(name) && mention.name?.toLowerCase() === name),
  );
}

/** A user without a name, or a name. */
interface Mention {
  user?: { id?: unknown };
  name?: string;
}

function mentionsIn(message: TelegramMessage): Mention[] {
  if (message.rich_message) return readRichMessage(message.rich_message).mentions.map(ofRichText);
  const words = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities;
  // Some servers list no entities.
  if (!entities) return Array.from(words.matchAll(/@(\w+)/g), ([, name]) => ({ name }));
  return entities.map(({ type, offset, length, user }) => {
    if (type === 'text_mention') return { user };
    if (type !== 'mention' && type !== 'bot_command') return {};
    return { name: words.slice(offset, offset + length).split('@')[1] };
  });
}

/** https://core.telegram.org/bots/api#richtextmention */
function ofRichText({ user, username, bot_command }: Record<string, unknown>): Mention {
  const name = username ?? bot_command;
  return { user: user as Mention['user'], name: typeof name === 'string' ? name.split('@').at(-1) : undefined };
}
