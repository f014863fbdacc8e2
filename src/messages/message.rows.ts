import { toPublicId, type ShownAccount } from '#contracts';
import { detailsOf } from '../conversations/message-details';
import { quotedBy, type QuotedMessageRow } from '../conversations/quoted.rows';
import { statement } from '../core/database/database.service';
import type { StoredRow, WithIsoTimes } from '../core/database/stored-row';
import { SHOWN_TIME } from '../core/pagination/placement.rows';
import { ISO_TIMES } from '../core/pagination/iso-times';
import { billingOf, type PartBilling } from '../billing/billing';
import type { MessageListQuery } from './dto/message-query.dto';
import { toInteractiveReply } from './receive/choices.service';
import type { MessageDto, MessageListItemDto } from './dto/message.dto';
import { senderOf, type MessageEntity } from './entities/message.entity';
import type { ReceivedMessage } from '../integrations/inbound/inbound-handler.port';
import { attachmentsOf, toAttachments, type AttachmentsColumn } from '../media/message-attachments.rows';
import type { OutboundDraft } from './send/outbound-message';

/**
 * The entity declares the columns of a message. This file declares which of them the API shows, how, and what a new message
 * stores in them.
 */
export type MessageRow = StoredRow<MessageEntity>;
type Column = keyof MessageRow;

const ITEM = [
  'id',
  'conversation_id',
  'platform',
  'account',
  'direction',
  'content',
  'created_at',
] as const satisfies readonly Column[];
const DETAILS = [
  ...ITEM,
  'status',
  'send_at',
  'sent_by',
  'delivered_at',
  'read_at',
  'confirmation',
  'ai_model',
  'input_tokens',
  'output_tokens',
  'failure',
  'options',
  'sender',
  'reply_to',
] as const satisfies readonly Column[];

type ItemRow = WithIsoTimes<Pick<MessageRow, (typeof ITEM)[number]>>;
type DetailsRow = WithIsoTimes<Pick<MessageRow, (typeof DETAILS)[number]>> & {
  attachments: AttachmentsColumn;
  part_billings: PartBilling[] | null;
  quoted: QuotedMessageRow | null;
};

const PART_BILLINGS = `CASE WHEN platform = 'whatsapp' AND direction = 'outbound' THEN (
  SELECT json_agg(billing ORDER BY part_index) FROM message_parts WHERE message_id = messages.id AND billing IS NOT NULL
) END AS part_billings`;
/** SQL of the columns that a message shows. */
const shown = (columns: readonly Column[]) =>
  columns.map((column) => (column === 'created_at' ? `${SHOWN_TIME} AS created_at` : column));
const DETAILS_SQL = [
  ...shown(DETAILS),
  `${attachmentsOf('messages')} AS attachments`,
  PART_BILLINGS,
  `${quotedBy('messages')} AS quoted`,
].join(', ');
/** `cost_usd` is read as a float: pg reads `numeric` as text. */
type UsageRow = DetailsRow & Pick<MessageRow, 'latency_ms'> & { cost_usd: number | null };

function toItem(row: ItemRow, account: ShownAccount): MessageListItemDto {
  return {
    id: toPublicId('message', row.id),
    conversation_id: toPublicId('conversation', row.conversation_id),
    platform: row.platform,
    account,
    direction: row.direction,
    content: row.content,
    created_at: row.created_at,
  };
}

export function toMessage(row: DetailsRow, account: ShownAccount): MessageDto {
  return {
    ...toItem(row, account),
    status: row.status,
    send_at: row.send_at,
    sent_by: senderOf({ direction: row.direction, sentBy: row.sent_by, aiModel: row.ai_model }),
    delivered_at: row.delivered_at,
    read_at: row.read_at,
    confirmation: row.confirmation,
    ai_model: row.ai_model,
    tokens: row.ai_model === null ? null : { input: row.input_tokens ?? 0, output: row.output_tokens ?? 0 },
    interactive: interactiveOf(row.options),
    interactive_reply: choiceOf(row.options),
    ...detailsOf(row),
    error: row.failure,
    attachments: toAttachments(row.attachments),
    billing: billingOf(row.part_billings),
  };
}

function interactiveOf(options: DetailsRow['options']): MessageDto['interactive'] {
  if (!options || !('interactive' in options) || !options.interactive) return null;
  const { type, options: all, button } = options.interactive;
  return { type, options: all, ...(button !== undefined && { button }) };
}

function choiceOf(options: DetailsRow['options']): MessageDto['interactive_reply'] {
  return options && 'interactive_reply' in options && options.interactive_reply
    ? toInteractiveReply(options.interactive_reply)
    : null;
}

/** A message of a list, with the columns of every form. */
export type ListedRow = UsageRow;

interface ListForm {
  /** SQL of the columns that `toItem` reads. */
  columns: string;
  toItem: (row: ListedRow, account: ShownAccount) => MessageListItemDto;
}

/** The forms of a list's items, by `expand`. */
export const LIST_FORMS: Readonly<Record<'plain' | NonNullable<MessageListQuery['expand']>, ListForm>> = {
  plain: { columns: shown(ITEM).join(', '), toItem },
  details: { columns: DETAILS_SQL, toItem: toMessage },
  usage: {
    columns: [DETAILS_SQL, 'latency_ms', 'cost_usd::float8 AS cost_usd'].join(', '),
    toItem: (row, account) => ({ ...toMessage(row, account), latency_ms: row.latency_ms, cost_usd: row.cost_usd }),
  },
};

export const READ_MESSAGE = {
  ...statement('message-read', `SELECT ${DETAILS_SQL} FROM messages WHERE id = $1 AND environment = $2`),
  types: ISO_TIMES,
};
export type ReadRow = DetailsRow;

/**
 * A client names a conversation by its participant's id, by an alias of it, or by its channel at Discord. A name such as
 * `@channelname` is accepted for every conversation, because only Telegram knows which channel has it.
 */
export const IN_CONVERSATION = statement(
  'message-in-conversation',
  `SELECT 1 FROM messages m JOIN conversations own ON own.id = m.conversation_id
   JOIN conversations c ON c.id = coalesce(own.merged_into, own.id)
   WHERE m.id = $1 AND m.environment = $2 AND c.platform = $3 AND c.account = $5 AND (
     $4::text IN (c.participant_id, c.address)
     OR EXISTS (
       SELECT FROM participant_aliases
       WHERE environment = $2 AND platform = $3 AND account = $5 AND alias = $4 AND participant_id = c.participant_id
     )
     OR $4 LIKE '@%'
   )`,
);

/** @param values SQL of the value of each column. @param source SQL after the values: where they are selected from */
export function insertMessage(values: Partial<Record<Column, string>>, source: string): string {
  return `INSERT INTO messages (${Object.keys(values).join(', ')}) SELECT ${Object.values(values).join(', ')} ${source}`;
}

/** Columns whose values are bound as they are. */
interface BoundColumns<Source, Name extends Column> {
  placeholders: Readonly<Record<Name, string>>;
  /** The number of the first placeholder after them. */
  next: number;
  /** In the order of the placeholders. */
  values: (source: Source) => unknown[];
}

function boundFrom<Source, Name extends Column>(
  first: number,
  columns: Record<Name, (source: Source) => unknown>,
): BoundColumns<Source, Name> {
  const names = Object.keys(columns) as Name[];
  const readers = names.map((name) => columns[name]);
  const placeholders = Object.fromEntries(names.map((name, index) => [name, `$${first + index}`]));
  return {
    placeholders: placeholders as Record<Name, string>,
    next: first + names.length,
    values: (source) => readers.map((read) => read(source)),
  };
}

/** A message to store, and the W3C trace context in which it was received or accepted. */
interface Traced {
  traceparent: string | null;
}
export type NewOutbound = Traced & { draft: OutboundDraft };
/** `options`: as JSON, `replyTo`: the quoted message, `requestId`: of the HTTP request that brought the message. */
export type NewInbound = Traced & {
  requestId: string | null;
  received: ReceivedMessage;
  options: string | null;
  replyTo: string | null;
  hasAttachments: boolean;
};

/** The columns of an outbound message that its draft fills. The statement binds seven other values before them. */
export const OUTBOUND_COLUMNS = boundFrom(8, {
  content: ({ draft }: NewOutbound) => draft.content,
  options: ({ draft }) => JSON.stringify(draft.options),
  sent_by: ({ draft }) => draft.sentBy,
  api_key_id: ({ draft }) => draft.apiKeyId ?? null,
  reply_to: ({ draft }) => draft.options.reply_to ?? null,
  ai_model: ({ draft }) => draft.ai?.model ?? null,
  input_tokens: ({ draft }) => draft.ai?.tokens.input ?? null,
  output_tokens: ({ draft }) => draft.ai?.tokens.output ?? null,
  latency_ms: ({ draft }) => draft.ai?.latencyMs ?? null,
  cost_usd: ({ draft }) => draft.ai?.costUsd ?? null,
  has_attachments: ({ draft }) => (draft.attachments ?? []).length > 0,
  traceparent: ({ traceparent }) => traceparent,
  send_at: ({ draft }) => draft.sendAt ?? null,
  request_id: ({ draft }) => draft.requestId ?? null,
  answers_from: ({ draft }) => draft.answers?.from ?? null,
  answers_to: ({ draft }) => draft.answers?.to ?? null,
});

/** The columns of an inbound message that the platform's message fills. The statement binds fourteen other values before. */
export const INBOUND_COLUMNS = boundFrom(15, {
  kind: ({ received }: NewInbound) => received.kind,
  content: ({ received }) => received.content,
  sender: ({ received }) => JSON.stringify(received.sender),
  options: ({ options }) => options,
  reply_to: ({ replyTo }) => replyTo,
  has_attachments: ({ hasAttachments }) => hasAttachments,
  traceparent: ({ traceparent }) => traceparent,
  request_id: ({ requestId }) => requestId,
});
