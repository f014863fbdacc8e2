import { statement } from '../database/database.service';
import type { DomainEvent } from './domain-event';

const COLUMNS =
  'id, environment, type, body, created_at, traceparent, conversation_id, message_id, answers_from' as const;

/**
 * The common table expressions that store events and their dispatches, for the statement that causes the events:
 * `WITH cause AS (INSERT …), ${insertEvents('$7')} SELECT …`
 *
 * Each active webhook that is subscribed gets a dispatch. There are few webhooks, and the statement locks none of their
 * rows, as a foreign key would. The order is that of the primary key, in which all statements lock dispatches.
 *
 * An event of an erased conversation is not stored: its cause was under way when the conversation was erased. A subquery by
 * id always uses the primary key. PostgreSQL may plan `NOT EXISTS` as a scan while the table is small, and keeps that plan
 * until the first statistics.
 * @param parameter placeholder of the JSON that `eventRows` makes
 * @param condition SQL that must hold for an event `e` to be stored, e.g. `EXISTS (SELECT FROM cause)`
 */
export function insertEvents(parameter: string, condition = 'true'): string {
  return `
    event AS (
      INSERT INTO events (${COLUMNS})
      SELECT ${COLUMNS} FROM json_to_recordset(${parameter}::json)
        AS e(id uuid, environment environment, type text, body text, created_at timestamptz, traceparent text,
          conversation_id uuid, message_id uuid, answers_from integer)
      WHERE ${condition}
        AND (SELECT erased_at FROM conversations WHERE id = e.conversation_id) IS NULL
      RETURNING id, environment, type, body
    ),
    dispatch AS (
      INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
      SELECT event.id, webhook.id, now(), now() FROM event
      JOIN webhooks webhook ON webhook.environment = event.environment AND webhook.status = 'active'
        AND (event.type = ANY (webhook.events) OR '*' = ANY (webhook.events)) AND ${isOfAccounts('event', 'webhook')}
      ORDER BY event.id, webhook.id
    )`;
}

/** SQL condition: the webhook gets the events of all accounts, the event is about no account, or about one of the webhook's. */
export const isOfAccounts = (event: string, webhook: string) => `CASE WHEN ${webhook}.accounts = '{}' THEN true
  ELSE coalesce((${event}.body::json #>> '{data,account,id}') = ANY (${webhook}.accounts), true) END`;

/** The parameter that `insertEvents` reads. */
export function eventRows(events: readonly DomainEvent[]): string {
  return JSON.stringify(
    events.map(({ id, environment, type, body, createdAt, traceparent, subject }) => ({
      id,
      environment,
      type,
      body,
      created_at: createdAt,
      traceparent,
      conversation_id: subject?.conversationId,
      message_id: subject?.messageId,
      answers_from: subject?.answersFrom,
    })),
  );
}

/** $1: the rows of events */
export const STORE = statement('events-store', `WITH ${insertEvents('$1')} SELECT 1`);

/** SQL condition: the event `old` has no dispatches left. */
export const IS_SETTLED = 'NOT EXISTS (SELECT FROM webhook_dispatches owed WHERE owed.event_id = old.id)';

export const ERASED_COLUMNS = { events: ['body'] };

/** Rows that one statement of an erasure changes. */
export const ERASURE_BATCH = 1_000;

/** $1: conversation */
export const ERASE_EVENTS = statement(
  'events-erase',
  `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE conversation_id = $1::uuid LIMIT ${ERASURE_BATCH}) RETURNING 1`,
);

/** Whether an event before a moment has dispatches left. $1: the first id of the moment */
export const HAS_DISPATCHES = statement(
  'events-have-dispatches',
  'SELECT 1 FROM webhook_dispatches WHERE event_id < $1::uuid LIMIT 1',
);
