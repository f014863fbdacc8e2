import type { EventType, ToolCallStatus } from '#contracts';
import type { ReplyTaskEntity } from '../ai/entities/reply-task.entity';
import { UNPLACED } from '../core/pagination/placement.rows';
import { statement } from '../core/database/database.service';
import type { StoredRow } from '../core/database/stored-row';
import type { MessagePartEntity } from '../messages/entities/message-part.entity';
import type { MessageRow } from '../messages/message.rows';

const COLUMNS = [
  'id',
  'conversation_id',
  'seq',
  'platform',
  'direction',
  'sender',
  'sent_by',
  'kind',
  'status',
  'created_at',
  'accepted_at',
  'send_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'confirmation',
  'failure',
  'platform_message_id',
  'request_id',
  'answers_from',
  'answers_to',
  'repeats',
  'options',
] as const satisfies readonly (keyof MessageRow)[];
const of = (alias: string) => COLUMNS.map((column) => `${alias}.${column}`).join(', ');

export type ChainMessage = Pick<MessageRow, (typeof COLUMNS)[number]>;

/** An answer is searched among this many messages after the one that it answers. */
const AFTER = 1_000;
/** Messages that one answer covers: the assistant sees at most this many. */
const ANSWERED = 100;
/** How many messages may have a time that does not fit their position, because the clocks of instances differ. */
const OUT_OF_ORDER = 50;
/** How far clocks may differ. */
const SKEW = `interval '5 seconds'`;

/**
 * The messages of a chain: a message, the answer to it, and all messages that the answer covers. Inbound messages without an
 * answer are one chain if the assistant was asked about them together, according to the events of those calls. $1: a message
 * of the chain, $2: the environment.
 */
export const CHAIN = statement(
  'timeline-chain',
  `WITH own AS (SELECT ${of('m')} FROM messages m WHERE m.id = $1 AND m.environment = $2),
   answer AS (
     SELECT ${of('own')} FROM own WHERE own.answers_from IS NOT NULL
     UNION ALL
     SELECT found.* FROM own CROSS JOIN LATERAL (
       SELECT ${of('m')} FROM (
         SELECT * FROM messages later
         WHERE later.conversation_id = own.conversation_id AND later.created_at >= own.created_at - ${SKEW}
         ORDER BY later.created_at, later.id LIMIT ${AFTER}
       ) m
       WHERE m.answers_from <= own.seq AND m.answers_to >= own.seq
       ORDER BY m.created_at, m.id LIMIT 1
     ) found
     WHERE own.direction = 'inbound'
   ),
   asked AS (
     SELECT min(call.answers_from) AS first, max(m.seq) AS last, max(m.created_at) AS until FROM own CROSS JOIN LATERAL (
       SELECT later.id, later.seq, later.created_at FROM messages later
       WHERE later.conversation_id = own.conversation_id AND later.created_at >= own.created_at - ${SKEW}
         AND later.direction = 'inbound' AND later.seq >= own.seq
       ORDER BY later.created_at, later.id LIMIT ${ANSWERED}
     ) m
     JOIN events call ON call.conversation_id = own.conversation_id AND call.message_id = m.id
       AND call.answers_from <= own.seq
     WHERE own.direction = 'inbound' AND NOT EXISTS (SELECT FROM answer)
   ),
   covered AS (
     SELECT a.conversation_id, a.answers_from AS first, a.answers_to AS last, a.created_at + ${SKEW} AS until,
       a.seq - a.answers_from + ${OUT_OF_ORDER} AS most
     FROM answer a
     UNION ALL
     SELECT own.conversation_id, asked.first, asked.last, asked.until + ${SKEW}, asked.last - asked.first + ${OUT_OF_ORDER}
     FROM own, asked WHERE asked.first IS NOT NULL
   ),
   inbound AS (
     SELECT ${of('m')} FROM covered CROSS JOIN LATERAL (
       SELECT * FROM messages near
       WHERE near.conversation_id = covered.conversation_id AND near.created_at <= covered.until
       ORDER BY near.created_at DESC, near.id DESC LIMIT covered.most
     ) m
     WHERE m.direction = 'inbound' AND m.seq BETWEEN covered.first AND covered.last
     ORDER BY m.seq DESC LIMIT ${ANSWERED}
   )
   SELECT DISTINCT ON (id) * FROM (
     SELECT * FROM own UNION ALL SELECT * FROM answer UNION ALL SELECT * FROM inbound
   ) message`,
);

export interface ChainEvent {
  id: string;
  type: EventType;
  body: string;
  created_at: Date;
  /** Null: it is about no message. */
  message_id: string | null;
}

/** A chain has fewer events. */
const EVENTS = 500;

/** $1: the conversation, $2: the messages. */
export const CHAIN_EVENTS = statement(
  'timeline-events',
  `SELECT id, type, body, created_at, message_id FROM events
   WHERE conversation_id = $1 AND message_id = ANY ($2::uuid[])
   ORDER BY created_at, id LIMIT ${EVENTS}`,
);

/** The assistant's work in a conversation. */
export interface ReplyState {
  answered_seq: number;
  requested_seq: number;
  last_error: ReplyTaskEntity['lastError'];
  /** Null: there is nothing to answer. */
  next_at: Date | null;
  /** It failed, and no process is trying it now. */
  is_waiting: boolean;
}

/** $1: the conversation */
export const REPLY_STATE = statement(
  'timeline-reply',
  `SELECT answered_seq, requested_seq, last_error, next_at,
     request_id IS NOT NULL AND coalesce(lease_until, '-infinity') <= now() AS is_waiting
   FROM reply_tasks WHERE conversation_id = $1`,
);

export type ChainPart = Pick<
  StoredRow<MessagePartEntity>,
  'message_id' | 'part_index' | 'status' | 'platform_message_id' | 'recorded_at'
>;

export const CHAIN_PARTS = statement(
  'timeline-parts',
  `SELECT message_id, part_index, status, platform_message_id, recorded_at
   FROM message_parts WHERE message_id = ANY ($1::uuid[]) AND status <> 'received' ORDER BY message_id, part_index`,
);

export interface ToolCallRow {
  id: string;
  name: string;
  arguments: object | null;
  status: ToolCallStatus;
  ms: number;
  result: string | null;
  error: string | null;
  created_at: Date;
  [column: string]: unknown;
}

/** The calls of tools that have ended. $1: the conversation, $2: the messages. */
export const CHAIN_TOOL_CALLS = statement(
  'timeline-tool-calls',
  `SELECT id, name, arguments, status, ms, result, error, created_at FROM tool_calls
   WHERE conversation_id = $1 AND message_id = ANY ($2::uuid[]) AND status IS NOT NULL ORDER BY id LIMIT ${EVENTS}`,
);

/** All that a timeline is made of. */
export interface TimelineRows {
  messages: ChainMessage[];
  events: ChainEvent[];
  parts: ChainPart[];
}

export const FIND_MESSAGE = statement('explain-message', 'SELECT id, environment FROM messages WHERE id = $1');

export const FIND_EVENT = statement(
  'explain-event',
  'SELECT id, type, body, created_at, message_id, environment FROM events WHERE id = $1',
);

/**
 * No index has the request of a message. The request's id holds its time, and the message or AI call was stored near that time.
 * $1: the request, $2: that time, $3: a pattern that matches the text of events that name the request.
 */
export const FIND_BY_REQUEST = statement(
  '',
  `SELECT id, environment FROM (
     (SELECT m.id, m.environment, m.created_at FROM messages m
      WHERE m.environment = ANY ('{live,test}'::environment[]) AND m.request_id = $1::uuid
        AND m.created_at BETWEEN $2::timestamptz - interval '10 seconds' AND $2 + interval '2 minutes'
      ORDER BY m.created_at LIMIT 1)
     UNION ALL
     (SELECT m.id, m.environment, m.accepted_at FROM messages m
      WHERE m.environment = ANY ('{live,test}'::environment[]) AND m.request_id = $1::uuid AND m.created_at = ${UNPLACED} LIMIT 1)
     UNION ALL
     (SELECT e.message_id, e.environment, e.created_at FROM events e
      WHERE e.environment = ANY ('{live,test}'::environment[]) AND e.type = 'ai.request' AND e.message_id IS NOT NULL
        AND e.created_at BETWEEN $2 - interval '10 seconds' AND $2 + interval '2 minutes' AND e.body LIKE $3
      ORDER BY e.created_at LIMIT 1)
   ) found ORDER BY created_at LIMIT 1`,
);
