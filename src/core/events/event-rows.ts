import { leaseOf } from '../database/lease';
import type { DomainEvent } from './domain-event';

/** Lease of the writing process on its events, in seconds: afterwards another instance may run the handlers. */
const HANDLING_LEASE_SECONDS = 5;

/**
 * The common table expressions that store events, for the statement that causes them:
 * `WITH cause AS (INSERT …), ${insertEvents('$7')} SELECT …`
 * @param parameter placeholder of the JSON that `eventRows` makes
 * @param condition SQL that must hold for the events to be stored, e.g. `EXISTS (SELECT FROM cause)`
 */
export function insertEvents(parameter: string, condition = 'true'): string {
  return `
    event_row AS (
      SELECT * FROM json_to_recordset(${parameter}::json)
        AS e(id uuid, environment environment, type text, body text, created_at timestamptz)
      WHERE ${condition}
    ),
    event AS (
      INSERT INTO events (id, environment, type, body, created_at)
      SELECT id, environment, type, body, created_at FROM event_row
      RETURNING id
    ),
    outbox AS (
      INSERT INTO event_outbox (event_id, lease_until)
      SELECT id, ${leaseOf(HANDLING_LEASE_SECONDS)} FROM event_row
    )`;
}

/** The parameter that `insertEvents` reads. */
export function eventRows(events: readonly DomainEvent[]): string {
  return JSON.stringify(
    events.map(({ id, environment, type, body, createdAt }) => ({
      id,
      environment,
      type,
      body,
      created_at: createdAt,
    })),
  );
}
