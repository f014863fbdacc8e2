import { sendFailure, type MessageStatus, type SendFailure } from '#contracts';
import { OPEN_CONVERSATION, PARTICIPANT } from '../../conversations/open-conversation.rows';
import { statement, type Statement } from '../../core/database/database.service';
import { ENDED, leaseOf } from '../../core/database/lease';
import { dueStatements } from '../../core/work/due.rows';
import type { DomainEvent } from '../../core/events/domain-event';
import { insertEvents } from '../../core/events/event.rows';
import { linkAttachments } from '../../media/message-attachments.rows';
import { insertMessage, OUTBOUND_COLUMNS } from '../message.rows';
import { PLACED, UNPLACED } from '../../core/pagination/placement.rows';
import { clampedTimestamp } from '../counts/watermark.rows';
import type { OutboundMessage, PartRecord } from './outbound-message';
import type { Repeat } from './repeats';

/** The lease of a send, in seconds; the process that sends extends it. Another process takes the send over when it expires. */
export const SEND_LEASE_SECONDS = 15;

const CREATED_AT = clampedTimestamp('$6');
const ACCOUNT = '$7::text';

export const LEASE = leaseOf(SEND_LEASE_SECONDS);

/** The fence of the process that stores a message, or starts a scheduled one. Each claim raises it. */
export const FIRST_FENCE = 1;
const HELD = `message_id = $1::uuid AND fence = $2::integer`;

/**
 * The statement that gives a message its task, leased to this process.
 * @param message SQL of its id
 * @param writeStartedAt SQL of its write mark
 */
export const insertTask = (message: string, writeStartedAt: string, source: string) => `
  INSERT INTO message_tasks (message_id, write_started_at, next_at, lease_until, fence, attempts)
  SELECT ${message}, ${writeStartedAt}, ${LEASE}, ${LEASE}, ${FIRST_FENCE}, 1 FROM ${source}`;

/** Rows that the statement stores together with a message. */
export interface Attached {
  /** Common table expressions that stand before the others. */
  first: string;
  /** SQL. If it is false, the message is not stored and its conversation does not change. */
  condition: string;
  /** SQL of the options of the message. */
  options: string;
}

export interface AttachedPlaceholders {
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
  /** A common table expression: the work that the message is. */
  owed: string;
  /** Whether it takes a place in its conversation. */
  isPlaced: boolean;
}

/**
 * A client's message is stored with its write mark, so that a send commits twice and not three times. A sandbox message needs
 * no mark, because nothing is written; an answer needs none, because it may be written twice.
 */
const PENDING: Beginning = {
  status: 'pending',
  owed: `send AS (${insertTask('$1::uuid', `CASE WHEN $3::environment = 'live' AND ${bound.sent_by}::text = 'api' THEN now() END`, 'conversation')})`,
  isPlaced: true,
};

/**
 * The statement that stores a message, as `pending` unless `beginning` says otherwise. $1: id, $2: the conversation's id, $3: environment, $4: platform,
 * $5: recipient, $6: time, $7: account, and then `OUTBOUND_COLUMNS`.
 */
export function acceptStatement(
  name: string,
  attach?: (at: AttachedPlaceholders) => Attached,
  { status, owed, isPlaced }: Beginning = PENDING,
): Statement {
  const attached = attach?.(attachedPlaceholders);
  return statement(
    name,
    `WITH ${attached ? `${attached.first},` : ''}
     participant AS (${PARTICIPANT('$3::environment', '$4::text', ACCOUNT, '$5::text')}),
     conversation AS (${OPEN_CONVERSATION(
       `SELECT $2::uuid, $3, $4, ${ACCOUNT}, participant_id, NULL, NULL, NULL, 'active', ${Number(isPlaced)}, ${CREATED_AT}, ${CREATED_AT}, NULL::timestamptz FROM participant
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
         account: ACCOUNT,
         direction: `'outbound'`,
         status: `'${status}'`,
         ...(isPlaced ? { created_at: CREATED_AT } : { created_at: UNPLACED, accepted_at: CREATED_AT }),
         ...bound,
         // Positions of another conversation, which was merged into this one meanwhile, say nothing here.
         answers_from: `CASE WHEN id = $2 THEN ${bound.answers_from}::integer END`,
         answers_to: `CASE WHEN id = $2 THEN ${bound.answers_to}::integer END`,
         options: attached?.options ?? OPTIONS,
       },
       'FROM conversation',
     )}),
     ${owed}
     SELECT id, participant_id, participant_name, address, last_inbound_at FROM conversation`,
  );
}

export const ACCEPT = acceptStatement('outbound-accept');

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
  `UPDATE message_tasks SET write_started_at = now(), lease_until = ${LEASE} WHERE ${HELD} RETURNING 1`,
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
     FROM message_tasks t JOIN messages m ON m.id = t.message_id JOIN conversations c ON c.id = m.conversation_id
     WHERE t.message_id = $1::uuid AND t.fence = $2::integer
     FOR SHARE OF c
   ),
   task AS (
     UPDATE message_tasks SET write_started_at = now(), lease_until = ${LEASE}
     WHERE ${HELD} AND EXISTS (SELECT FROM held WHERE NOT taken_over)
   )
   SELECT taken_over FROM held`,
);

const recordParts = (account: string) => `
  INSERT INTO message_parts (message_id, part_index, environment, platform, account, platform_message_id, status, recorded_at)
  SELECT $1::uuid, p.index, $3::environment, $4::text, ${account}::text, p.id, p.status, $5::timestamptz
  FROM json_to_recordset($6::json) AS p(index integer, id text, status text)`;

/** Returns no row when another process has taken the message over. Locks the rows that an erasure changes. */
export const RECORD_PART = statement(
  'outbound-record-part',
  `WITH held AS (SELECT FROM message_tasks WHERE ${HELD} FOR SHARE),
   part AS (${recordParts('$7')} WHERE EXISTS (SELECT FROM held) ON CONFLICT DO NOTHING)
   SELECT 1 FROM held`,
);

/** Options that nothing reads once a message has an outcome; they are a sixth of its row. */
const SEND_OPTIONS = `'{parse_mode,disable_notification,link_preview,named,sandbox_billed}'::text[]`;

/**
 * Records the outcome in one statement, only if this process holds the message under its fence. No index holds the columns
 * that it sets. The task stays, if the delivery is confirmed later ($13).
 */
export const FINISH = statement(
  'outbound-finish',
  `WITH done AS (DELETE FROM message_tasks WHERE ${HELD} AND NOT $13::boolean RETURNING 1),
   kept AS (SELECT FROM message_tasks WHERE ${HELD} AND $13 FOR UPDATE),
   message AS (
     UPDATE messages SET status = $7, sent_at = $8, delivered_at = $9, confirmation = $10, failure = $11,
       latency_ms = coalesce(latency_ms, $12), platform_message_id = $15, repeats = coalesce($16, repeats),
       options = nullif(options - ${SEND_OPTIONS}, '{}')
     WHERE id = $1::uuid AND status = 'pending' AND (EXISTS (SELECT FROM done) OR EXISTS (SELECT FROM kept))
     RETURNING id
   ),
   part AS (${recordParts('$17')} WHERE EXISTS (SELECT FROM message) ON CONFLICT DO NOTHING),
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
  { id, fence, environment, platform, account }: OutboundMessage,
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
    outcome.confirmAfterMs !== null,
    events,
    outcome.platformMessageId,
    outcome.repeats && JSON.stringify(outcome.repeats),
    account,
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

/** Releases the lease; any process may claim the task after $3 milliseconds. */
export const POSTPONE = statement(
  'outbound-postpone',
  `WITH task AS (
     UPDATE message_tasks SET write_started_at = NULL, lease_until = NULL, next_at = now() + $3::integer * interval '1 millisecond'
     WHERE ${HELD} RETURNING message_id
   )
   UPDATE messages SET repeats = $4::jsonb WHERE id = $1 AND $4::jsonb IS NOT NULL AND EXISTS (SELECT FROM task)`,
);

/** Messages without an outcome, and those of the sandbox until their delivery is confirmed. */
export const DUE_SENDS = {
  table: 'message_tasks',
  key: 'message_id',
  environment: '(SELECT m.environment FROM messages m WHERE m.id = message_id)',
  columns: 'message_id, write_started_at',
  leaseSeconds: SEND_LEASE_SECONDS,
};

/** Changes nothing once the lease is released. */
export const { extend: EXTEND } = dueStatements(DUE_SENDS);

/** When to check again whether the platform of a waiting message has recovered. */
export const NEXT_PLATFORM_CHECK = `now() + interval '2 seconds'`;

/** Leases of the version before. It extends a lease for minutes at most, and no index holds it. */
export const END_MESSAGE_LEASES = `
  UPDATE messages SET lease_until = ${ENDED}
  WHERE environment = ANY ('{live,test}'::environment[]) AND created_at > now() - interval '1 hour' AND lease_until > now()`;

/** A message is due when its first lease ends. */
export const END_SEND_LEASES = `
  UPDATE message_tasks SET lease_until = ${ENDED}, next_at = least(next_at, now()) WHERE lease_until > now()`;

/**
 * The version before has the lease of a message that it sends in `messages`: its process has died once the lease has run out. Such
 * messages get a task. $1: the interval in which they were stored. The next version drops the columns, and this statement.
 */
export const ADOPT_FORMER_SENDS = statement(
  '',
  `WITH message AS (
     UPDATE messages SET lease_until = NULL WHERE id IN (
       SELECT id FROM messages
       WHERE environment = ANY ('{live,test}'::environment[]) AND created_at > now() - $1::interval
         AND status IN ('pending', 'sent') AND lease_until < now()
       FOR UPDATE SKIP LOCKED
     )
     RETURNING id, write_started_at
   )
   INSERT INTO message_tasks (message_id, write_started_at, next_at, fence, attempts)
   SELECT id, write_started_at, now(), ${FIRST_FENCE}, 1 FROM message ON CONFLICT DO NOTHING`,
);

/** The platform's id of the message being answered: the newest inbound one. */
export const ANSWERED_MESSAGE = statement(
  'typing-answered',
  // The conversation is looked up first: a join would sort all its messages.
  `SELECT coalesce(m.received_id, p.platform_message_id) AS id
   FROM messages m LEFT JOIN message_parts p ON p.message_id = m.id AND p.part_index = 0
   WHERE m.conversation_id = (
       SELECT id FROM conversations WHERE environment = $1::environment AND platform = $2::text AND account = $4::text
         AND participant_id = $3::text
     ) AND m.direction = 'inbound'
   ORDER BY m.created_at DESC, m.id DESC LIMIT 1`,
);

/** The account to which a participant wrote last, or that opened a conversation last. $1: environment, $2: platform, $3: the participant, $4: accounts */
export const NEWEST_ACCOUNT = statement(
  'send-newest-account',
  `SELECT c.account FROM unnest($4::text[]) AS named (account)
   CROSS JOIN LATERAL (${PARTICIPANT('$1::environment', '$2::text', 'named.account', '$3::text')}) known
   JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.account = named.account
     AND c.participant_id = known.participant_id
   ORDER BY coalesce(c.last_inbound_at, c.created_at) DESC LIMIT 1`,
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

/** In a restored database: a message that was pending may have been sent since the backup, and is not sent again. Its task ends by itself. */
export const FAIL_PENDING_SENDS = `
  UPDATE messages SET status = 'failed', failure = '${AMBIGUOUS}'::jsonb, lease_until = NULL WHERE status = 'pending'`;
