import type { APIMessage } from 'discord.js';
import { UnreadableError } from '../../fault-words';
import type { InboundMessage } from '../../platform.port';
import { isSnowflake } from '../snowflake';
import { attachmentsOf } from './attachments';
import { contentOf, type Bot } from './inbound-content';
import { hasFlag } from './kinds/flags';
import { typeRowOf } from './kinds/message-types';
import { ofUser } from './participants';
import { quotationOf } from './quotation';

/** Facts about the bot and the channel that reading a message needs. */
export interface ReadingContext {
  bot: Bot;
  /** The guild channel that it was written in; undefined for a direct message. */
  channel?: { name: string | null };
}

/** The kind under which a message is counted, because it is a notice of Discord; undefined for the others. */
export function countedKindOf(message: Pick<APIMessage, 'type' | 'flags'>): string | undefined {
  if (hasFlag(message, 'Loading')) return 'Loading';
  const row = typeRowOf(message.type);
  return row?.becomes === 'counted' ? row.name : undefined;
}

/** Reads a message. Undefined for the bot's own messages and those that are counted. Throws if it is not as Discord documents it. */
export function readMessage(message: APIMessage, context: ReadingContext): InboundMessage | undefined {
  const { author, channel_id } = message;
  if (![message.id, channel_id, author.id].every(isSnowflake)) throw new UnreadableError('it lacks an id');
  if (author.id === context.bot.id || countedKindOf(message) !== undefined) return undefined;
  const timestamp = (message.timestamp as string | null | undefined) ?? undefined;
  // Invalid where it is missing: the message then counts as written when it arrived.
  const sentAt = new Date(timestamp ?? Number.NaN);
  if (timestamp !== undefined && Number.isNaN(sentAt.getTime())) throw new UnreadableError('the message has no date');
  const content = contentOf(message, context.bot);
  const sender = ofUser(author);
  // Two bots would answer each other without end.
  const byPerson = author.bot !== true && (message.webhook_id ?? undefined) === undefined;
  const inContext = byPerson ? undefined : false;
  const attachments = attachmentsOf(message);
  const replyTo = quotationOf(message, context.bot);
  const received = {
    platformMessageId: message.id,
    sender,
    ...(content ?? unsupported(message)),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo && { replyTo }),
    sentAt,
    inContext,
  };
  const isQuestion = byPerson && content !== undefined && typeRowOf(message.type)?.label === undefined;
  if (!context.channel) return { ...received, participant: sender, address: channel_id, expectsReply: isQuestion };
  const participant = { id: channel_id, name: context.channel.name, username: null };
  return {
    ...received,
    participant,
    expectsReply: isQuestion,
    mentionsBot: mentionsBot(message, context.bot),
    answerAsReply: true,
  };
}

/** A message of a type that is new at Discord, or with nothing that a bot can read. */
function unsupported({ type }: APIMessage): Pick<InboundMessage, 'kind' | 'content'> {
  const kind = typeRowOf(type) ? 'empty' : String(type);
  return { kind: 'other', content: `[unsupported message: ${kind}]` };
}

/** A reply to the bot counts even without a mention. */
function mentionsBot(message: APIMessage, bot: Bot): boolean {
  return mentions(message, bot) || message.referenced_message?.author?.id === bot.id;
}

/** Reads the content if the server does not list mentions. */
function mentions({ content, mentions: users, mention_roles: roles }: Partial<APIMessage>, bot: Bot): boolean {
  if (roles?.some((role) => bot.roles?.has(role))) return true;
  return (
    users?.some(({ id }) => id === bot.id) ?? [`<@${bot.id}>`, `<@!${bot.id}>`].some((mark) => content?.includes(mark))
  );
}
