import type { APIMessage, APIUser } from 'discord.js';
import { UnreadableError } from '../../fault-words';
import type { InboundMessage, Participant } from '../../platform.port';
import type { GuildReplies } from '../discord.options';
import { attachmentsOf } from './attachments';
import { contentOf, type Named } from './inbound-content';
import { isSnowflake } from '../snowflake';

/** Facts about the bot and the channel that reading a message needs. */
export interface ReadingContext {
  bot: Named;
  guildReplies: GuildReplies;
  /** The guild channel that it was written in; undefined for a direct message. */
  channel?: { name: string | null };
}

/** Default and Reply (https://discord.com/developers/docs/resources/message#message-object-message-types): the others are notices. */
const WRITTEN_TYPES: ReadonlySet<number> = new Set([0, 19]);

/**
 * Reads a message. Undefined for the bot's own messages, Discord's notices and messages without readable content. Throws if
 * it is not as Discord documents it.
 */
export function readMessage(message: APIMessage, context: ReadingContext): InboundMessage | undefined {
  const { author, channel_id } = message;
  if (![message.id, channel_id, author.id].every(isSnowflake)) throw new UnreadableError('it lacks an id');
  if (author.id === context.bot.id || !WRITTEN_TYPES.has(message.type ?? 0)) return undefined;
  const content = contentOf(message, context.bot);
  if (!content) return undefined;
  const timestamp = (message.timestamp as string | null | undefined) ?? undefined;
  // Invalid where it is missing: the message then counts as written when it arrived.
  const sentAt = new Date(timestamp ?? Number.NaN);
  if (timestamp !== undefined && Number.isNaN(sentAt.getTime())) throw new UnreadableError('the message has no date');
  const sender = ofUser(author);
  // Two bots would answer each other without end.
  const byPerson = author.bot !== true && (message.webhook_id ?? undefined) === undefined;
  const inContext = byPerson ? undefined : false;
  const attachments = attachmentsOf(message);
  const files = attachments.length > 0 ? { attachments } : undefined;
  const received = { platformMessageId: message.id, sender, ...content, ...files, sentAt, inContext };
  if (!context.channel) return { ...received, participant: sender, address: channel_id, expectsReply: byPerson };
  const participant = { id: channel_id, name: context.channel.name, username: null };
  return { ...received, participant, expectsReply: byPerson && isMeant(message, context), answerAsReply: true };
}

export function ofUser({ id, global_name, username }: APIUser): Participant {
  return { id, name: global_name ?? username, username };
}

/** A reply to the bot counts even without a mention. */
function isMeant(message: APIMessage, { bot, guildReplies }: ReadingContext): boolean {
  if (guildReplies !== 'mentions') return guildReplies === 'all';
  return mentions(message, bot.id) || message.referenced_message?.author?.id === bot.id;
}

/** Reads the content if the server does not list mentions. */
function mentions({ content, mentions: listed }: Partial<APIMessage>, id: string): boolean {
  return listed?.some((user) => user.id === id) ?? [`<@${id}>`, `<@!${id}>`].some((mark) => content?.includes(mark));
}
