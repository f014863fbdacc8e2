import { newUuid, toPublicId } from '#contracts';

/** Tables of events, webhooks, and events that are due to webhooks. */
export const EVENT_SCHEMA = `
  CREATE TABLE event (id uuid PRIMARY KEY, type text NOT NULL, body text NOT NULL, created_at timestamptz NOT NULL);
  CREATE TABLE webhook (id uuid PRIMARY KEY, types text[] NOT NULL);
  CREATE TABLE dispatch (
    webhook_id uuid, event_id uuid, next_at timestamptz NOT NULL DEFAULT now(), lease_until timestamptz, attempts int DEFAULT 0,
    PRIMARY KEY (webhook_id, event_id)
  )`;

/** An event to store. */
export interface BareEvent {
  id: string;
  type: string;
  body: string;
}

export function bareEvent(type: string, createdAt: Date, data: object): BareEvent {
  const id = newUuid(createdAt.getTime());
  const body = JSON.stringify({ id: toPublicId('event', id), type, created_at: createdAt.toISOString(), data });
  return { id, type, body };
}

/**
 * Common table expressions that store events and their dispatches to webhooks.
 * @param first number of the first parameter of `eventValues`
 * @param condition SQL: stores nothing unless true
 */
export function storeEvents(first: number, condition: string): string {
  const [ids, types, bodies, at] = [0, 1, 2, 3].map((offset) => `$${first + offset}`);
  return `e AS (
      INSERT INTO event SELECT t.id, t.type, t.body, ${at}::timestamptz
      FROM unnest(${ids}::uuid[], ${types}::text[], ${bodies}::text[]) AS t (id, type, body) WHERE ${condition}
      RETURNING id, type
    ),
    owed AS (INSERT INTO dispatch (webhook_id, event_id) SELECT w.id, e.id FROM e JOIN webhook w ON e.type = ANY (w.types))`;
}

export function eventValues(events: readonly BareEvent[], at: Date): unknown[] {
  return [events.map(({ id }) => id), events.map(({ type }) => type), events.map(({ body }) => body), at];
}
