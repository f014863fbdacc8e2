import { sendFailure, type MessageStatus, type SendFailure } from '#contracts';
import { OPEN_CONVERSATION, PARTICIPANT } from '../../conversations/open-conversation.rows';
import { statement, type Statement } from '../../core/database/database.service';
import { ENDED, leaseOf } from '../../core/database/lease';
import type { DomainEvent } from '../../core/events/domain-event';
import { claimKey } from '../../core/idempotency/idempotency.rows';
import { insertEvents } from '../../core/events/event.rows';
import { linkAttachments } from '../../media/message-attachments.rows';
import { insertMessage, OUTBOUND_COLUMNS } from '../message.rows';
import { PLACED, UNPLACED } from '../../core/counts/placement.rows';
import { clampedTimestamp } from '../../core/counts/watermark.rows';
import type { OutboundMessage, PartRecord } from './outbound-message';
import type { Repeat } from './repeats';

/** The lease of a send, in seconds; the process that sends extends it. Another process takes the send over when it expires. */
export const SEND_LEASE_SECONDS = 15;

const CREATED_AT = clampedTimestamp('$6');

export const LEASE = leaseOf(SEND_LEASE_SECONDS);

/** The fence of the process that stored a message: it holds the lease on the message's row. Later processes hold its task. */
export const FIRST_FENCE = 1;
const HELD_FIRST = `status = 'pending' AND lease_until IS NOT NULL AND $2::integer = ${FIRST_FENCE}`;
const HELD_TASK = `message_id = $1::uuid AND fence = $2::integer`;

/** Rows that the statement stores together with a message. */
interface Attached {
  /** Common table expressions that stand before the others. */
  first: string;
  /** SQL. If it is false, the message is not stored and its conversation does not change. */
  condition: string;
  /** SQL of the options of the message. */
  options: string;
}

interface AttachedPlaceholders {
  conversationId: string;
  options: string;
  /** Placeholder of one of the additional values, which are bound after those of the message; `index` is from 0. */
  own: (index: number) => string;
}

const { placeholders: bound, next: firstOwn } = OUTBOUND_COLUMNS;
/** While the assistant does not have the conversation, a client's message counts as a colleague's. */
const OPTIONS = `(CASE WHEN handling = 'assistant' OR ${bound.sent_by}::text <> 'api' THEN ${bound.options}::jsonb
  ELSE ${bound.options}::jsonb || '{"by_colleague": true}' END)`;
const attachedPlaceholders: AttachedPlaceholders = {
  conversationId: '$2',
  options: OPTIONS,
  own: (index) => `$${firstOwn + index}`,
};

/** The state in which a message is first stored. */
interface Beginning {
  status: Extract<MessageStatus, 'pending' | 'scheduled'>;
  leaseUntil: string;
  /** SQL of its write mark. */
  writeStartedAt: string;
  /** A common table expression that follows the message. */
  owed?: string;
  /** Whether it takes a place in its conversation. */
  isPlaced: boolean;
}

/**
 * A client's message is stored with its write mark, so that a send commits twice and not three times. A sandbox message needs
 * no mark, because nothing is written; an answer needs none, because it may be written twice.
 */
const PENDING: Beginning = {
  status: 'pending',
  leaseUntil: LEASE,
  writeStartedAt: `CASE WHEN $3::environment = 'live' AND ${bound.sent_by}::text = 'api' THEN now() END`,
  isPlaced: true,
};

/**
 * The statement that stores a message, as `pending` unless `beginning` says otherwise. $1: id, $2: the conversation's id, $3: environment, $4: platform,
 * $5: recipient, $6: time, and then `OUTBOUND_COLUMNS`.
 */
export function acceptStatement(
  name: string,
  attach?: (at: AttachedPlaceholders) => Attached,
  { status, leaseUntil, writeStartedAt, owed, isPlaced }: Beginning = PENDING,
): Statement {
  const attached = attach?.(attachedPlaceholders);
  return statement(
    name,
    `WITH ${attached ? `${attached.first},` : ''}
     participant AS (${PARTICIPANT('$3::environment', '$4::text', '$5::text')}),
     conversation AS (${OPEN_CONVERSATION(
       `SELECT $2::uuid, $3, $4, participant_id, NULL, NULL, NULL, 'active', ${Number(isPlaced)}, ${CREATED_AT}, ${CREATED_AT}, NULL::timestamptz FROM participant
        WHERE ${attached?.condition ?? 'true'}`,
       '',
       isPlaced,
     )}),
     message AS (${insertMessage(
       {
         id: '$1::uuid',
         environment: '$3',
         conversation_id: 'id',
         seq: isPlaced ? 'message_count' : '0',
         platform: '$4',
         direction: `'outbound'`,
         status: `'${status}'`,
         ...(isPlaced ? { created_at: CREATED_AT } : { created_at: UNPLACED, accepted_at: CREATED_AT }),
         lease_until: leaseUntil,
         write_started_at: writeStartedAt,
         ...bound,
         options: attached?.options ?? OPTIONS,
       },
       'FROM conversation',
     )})${owed ? `, ${owed}` : ''}
     SELECT id, participant_id, participant_name, address, last_inbound_at FROM conversation`,
  );
}

export const ACCEPT = acceptStatement('outbound-accept');

/** Binds the API key, the Idempotency-Key and the fingerprint last. Returns no row when another request has the key. */
export const ACCEPT_CLAIMING = acceptStatement('outbound-accept-claiming', ({ options, own }) => ({
  first: `claim AS (${claimKey(own(0), own(1), own(2), '$1')})`,
  condition: 'EXISTS (SELECT FROM claim)',
  options,
}));

const attach = ({ options, own }: AttachedPlaceholders): Attached => ({
  first: linkAttachments(
    `(SELECT $1::uuid AS message_id, id, position::integer FROM unnest(${own(0)}::uuid[]) WITH ORDINALITY AS a(id, position))`,
  ),
  condition: 'true',
  options,
});

/** Binds the UUIDs of the attachments last. */
export const ACCEPT_WITH_ATTACHMENTS = acceptStatement('outbound-accept-attachments', attach);

/** No process works on the message before its `send_at`; it takes its place in the conversation then. */
const SCHEDULED: Beginning = {
  status: 'scheduled',
  leaseUntil: 'NULL',
  writeStartedAt: 'NULL',
  isPlaced: false,
  owed: `due AS (
     INSERT INTO scheduled_sends (message_id, environment, next_at)
     SELECT $1::uuid, $3::environment, ${bound.send_at}::timestamptz FROM conversation
   )`,
};
export const SCHEDULE = acceptStatement('outbound-schedule', undefined, SCHEDULED);
export const SCHEDULE_WITH_ATTACHMENTS = acceptStatement('outbound-schedule-attachments', attach, SCHEDULED);

export const MARK_WRITE = statement(
  'outbound-mark-write',
  `WITH message AS (
     UPDATE messages SET write_started_at = now(), lease_until = ${LEASE} WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING 1
   ),
   task AS (UPDATE message_tasks SET write_started_at = now(), lease_until = ${LEASE} WHERE ${HELD_TASK} RETURNING 1)
   SELECT 1 FROM message UNION ALL SELECT 1 FROM task`,
);

/**
 * As `MARK_WRITE`, for a message of the assistant: it is not sent if the conversation was taken over since it was stored, unless
 * a part has arrived already. The lock makes the statement wait for a takeover that is under way.
 */
export const MARK_ASSISTANT_WRITE = statement(
  'outbound-mark-assistant-write',
  `WITH held AS (
     SELECT m.seq <= c.handling_seq AND NOT EXISTS (
       SELECT FROM message_parts p WHERE p.message_id = m.id AND p.platform_message_id IS NOT NULL
     ) AS taken_over
     FROM messages m JOIN conversations c ON c.id = m.conversation_id
     WHERE m.id = $1::uuid AND ((m.status = 'pending' AND m.lease_until IS NOT NULL AND $2::integer = ${FIRST_FENCE}) OR EXISTS (SELECT FROM message_tasks WHERE ${HELD_TASK}))
     FOR SHARE OF c
   ),
   message AS (
     UPDATE messages SET write_started_at = now(), lease_until = ${LEASE}
     WHERE id = $1 AND ${HELD_FIRST} AND EXISTS (SELECT FROM held WHERE NOT taken_over)
   ),
   task AS (
     UPDATE message_tasks SET write_started_at = now(), lease_until = ${LEASE}
     WHERE ${HELD_TASK} AND EXISTS (SELECT FROM held WHERE NOT taken_over)
   )
   SELECT taken_over FROM held`,
);

const RECORD_PARTS = `
  INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
  SELECT $1::uuid, p.index, $3::environment, $4::text, p.id, p.status, $5::timestamptz
  FROM json_to_recordset($6::json) AS p(index integer, id text, status text)`;

/** Returns no row when another process has taken the message over. Locks the rows that an erasure changes. */
export const RECORD_PART = statement(
  'outbound-record-part',
  `WITH first AS (SELECT id FROM messages WHERE id = $1::uuid AND ${HELD_FIRST} FOR SHARE),
   task AS (SELECT message_id FROM message_tasks WHERE ${HELD_TASK} FOR SHARE),
   held AS (SELECT FROM first UNION ALL SELECT FROM task),
   part AS (${RECORD_PARTS} WHERE EXISTS (SELECT FROM held) ON CONFLICT DO NOTHING)
   SELECT 1 FROM held`,
);

/** Changes nothing once the lease is released. */
export const EXTEND = statement(
  'outbound-extend',
  `WITH message AS (UPDATE messages SET lease_until = ${LEASE} WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING 1),
   task AS (UPDATE message_tasks SET lease_until = ${LEASE} WHERE ${HELD_TASK} AND lease_until IS NOT NULL RETURNING 1)
   SELECT 1 FROM message UNION ALL SELECT 1 FROM task`,
);

/** Options that nothing reads once a message has an outcome; they are a sixth of its row. */
const SEND_OPTIONS = `'{parse_mode,disable_notification,link_preview}'::text[]`;

/**
 * Records the outcome in one statement, only if this process holds the message under its fence. No index holds the columns
 * that it sets. The lease continues if this process confirms the delivery later.
 */
export const FINISH = statement(
  'outbound-finish',
  `WITH held AS (SELECT message_id FROM message_tasks WHERE ${HELD_TASK} FOR UPDATE),
   message AS (
     UPDATE messages SET status = $7, sent_at = $8, delivered_at = $9, confirmation = $10, failure = $11,
       latency_ms = coalesce(latency_ms, $12), platform_message_id = $15, repeats = coalesce($16, repeats),
       options = nullif(options - ${SEND_OPTIONS}, '{}'),
       lease_until = now() + ($13::integer + ${SEND_LEASE_SECONDS * 1_000}) * interval '1 millisecond'
     WHERE id = $1::uuid AND ((${HELD_FIRST}) OR (status = 'pending' AND EXISTS (SELECT FROM held)))
     RETURNING id
   ),
   done AS (DELETE FROM message_tasks WHERE message_id = $1::uuid AND EXISTS (SELECT FROM held)),
   part AS (${RECORD_PARTS} WHERE EXISTS (SELECT FROM message) ON CONFLICT DO NOTHING),
   ${insertEvents('$14', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS recorded`,
);

export interface Outcome {
  status: Extract<MessageStatus, 'sent' | 'delivered' | 'failed'>;
  sentAt: Date | null;
  deliveredAt: Date | null;
  failure: SendFailure | null;
  latencyMs: number;
  platformMessageId: string | null;
  /** Parts to store in rows of their own. */
  parts: PartRecord[];
  /** Milliseconds until the delivery counts as confirmed; null when nothing is left to confirm. */
  confirmAfterMs: number | null;
  /** All so far; null: no new ones since they were stored. */
  repeats: readonly Repeat[] | null;
  events: DomainEvent[];
}

/** The values of `FINISH`. @param events as rows */
export function finishValues(
  { id, fence, environment, platform }: OutboundMessage,
  outcome: Outcome,
  now: Date,
  events: string,
): unknown[] {
  return [
    id,
    fence,
    environment,
    platform,
    now,
    partRows(outcome.parts),
    outcome.status,
    outcome.sentAt,
    outcome.deliveredAt,
    outcome.deliveredAt ? 'platform' : null,
    outcome.failure === null ? null : JSON.stringify(outcome.failure),
    outcome.latencyMs,
    outcome.confirmAfterMs,
    events,
    outcome.platformMessageId,
    outcome.repeats && JSON.stringify(outcome.repeats),
  ];
}

export function partRows(parts: readonly PartRecord[]): string {
  return JSON.stringify(
    parts.map(({ index, status, platformMessageId }) => ({ index, status, id: platformMessageId })),
  );
}

export const PLATFORM_ID = statement(
  'message-platform-id',
  `SELECT coalesce(platform_message_id, received_id, (
     SELECT platform_message_id FROM message_parts WHERE message_id = messages.id AND platform_message_id IS NOT NULL
     ORDER BY part_index LIMIT 1
   )) AS id FROM messages WHERE id = $1`,
);

/** A message that its first process leaves gets a task, which any process may claim. */
export const POSTPONE = statement(
  'outbound-postpone',
  `WITH message AS (
     UPDATE messages SET write_started_at = NULL, lease_until = NULL, repeats = coalesce($4::jsonb, repeats)
     WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING id
   ),
   added AS (
     INSERT INTO message_tasks (message_id, next_at, fence, attempts)
     SELECT id, now() + $3::integer * interval '1 millisecond', ${FIRST_FENCE}, 1 FROM message
   ),
   task AS (
     UPDATE message_tasks SET write_started_at = NULL, lease_until = NULL, next_at = now() + $3::integer * interval '1 millisecond'
     WHERE ${HELD_TASK} RETURNING message_id
   )
   UPDATE messages SET repeats = $4 WHERE id = $1 AND $4 IS NOT NULL AND EXISTS (SELECT FROM task)`,
);

/** The due work of messages that their first process no longer holds. */
export const DUE_SENDS = {
  table: 'message_tasks',
  key: 'message_id',
  environment: '(SELECT m.environment FROM messages m WHERE m.id = message_id)',
  columns: 'message_id, write_started_at',
  leaseSeconds: SEND_LEASE_SECONDS,
};

/** When to check again whether the platform of a waiting message has recovered. */
export const NEXT_PLATFORM_CHECK = `now() + interval '2 seconds'`;

/** No index holds the leases of messages, so only the last hour is searched: a process extends a lease for minutes at most. */
export const END_MESSAGE_LEASES = `
  UPDATE messages SET lease_until = ${ENDED}
  WHERE environment = ANY ('{live,test}'::environment[]) AND created_at > now() - interval '1 hour' AND lease_until > now()`;

export const END_SEND_LEASES = `UPDATE message_tasks SET lease_until = ${ENDED} WHERE lease_until > now()`;

/** The platform's id of the message being answered: the newest inbound one. */
export const ANSWERED_MESSAGE = statement(
  'typing-answered',
  // The conversation is looked up first: a join would sort all its messages.
  `SELECT coalesce(m.received_id, p.platform_message_id) AS id
   FROM messages m LEFT JOIN message_parts p ON p.message_id = m.id AND p.part_index = 0
   WHERE m.conversation_id = (
       SELECT id FROM conversations WHERE environment = $1::environment AND platform = $2::text AND participant_id = $3::text
     ) AND m.direction = 'inbound'
   ORDER BY m.created_at DESC, m.id DESC LIMIT 1`,
);

/** The language of the last template that a conversation got, among its newest messages. */
export const LAST_TEMPLATE_LANGUAGE = statement(
  'last-template-language',
  `SELECT options -> 'template' ->> 'language' AS language FROM (
     SELECT options, created_at FROM messages WHERE conversation_id = $1 AND ${PLACED}
     ORDER BY created_at DESC, id DESC LIMIT 1000
   ) m WHERE options ? 'template' ORDER BY created_at DESC LIMIT 1`,
);

/** The row that `ACCEPT` returns. */
export interface AcceptedRow {
  id: string;
  participant_id: string;
  participant_name: string | null;
  address: string | null;
  last_inbound_at: Date | null;
}

const AMBIGUOUS = JSON.stringify(sendFailure('ambiguous')).replaceAll("'", "''");

/** In a restored database: a message that was pending may have been sent since the backup, and is not sent again. */
export const FAIL_PENDING_SENDS = `
  UPDATE messages SET status = 'failed', failure = '${AMBIGUOUS}'::jsonb, lease_until = NULL WHERE status = 'pending'`;

export const DROP_SEND_TASKS = 'DELETE FROM message_tasks';
