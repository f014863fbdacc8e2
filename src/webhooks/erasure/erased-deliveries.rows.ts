import { statement } from '../../core/database/database.service';
import { ERASURE_BATCH } from '../../core/events/event.rows';

/** Rows that one statement of the retention reads. */
export const OLD_BATCH = 2_000;

export const ERASED_COLUMNS = { webhook_deliveries: ['response_body', 'response_headers'] };

/** $1: conversation, $2: the last event of the batch before */
export const NEXT_EVENTS = statement(
  'erasure-next-events',
  `SELECT id FROM events WHERE conversation_id = $1::uuid AND id > $2::uuid ORDER BY id LIMIT ${ERASURE_BATCH}`,
);

/** Locks in the order of the primary key, as everywhere. Attempts under way are still recorded afterwards. $1: events */
export const DROP_DISPATCHES = statement(
  'erasure-drop-dispatches',
  `DELETE FROM webhook_dispatches WHERE (event_id, webhook_id) IN (
     SELECT event_id, webhook_id FROM webhook_dispatches WHERE event_id = ANY ($1::uuid[])
     ORDER BY event_id, webhook_id FOR UPDATE
   )`,
);

/** Empties answers, because a receiver may have repeated what it got. $1: events */
export const EMPTY_DELIVERIES = statement(
  'erasure-empty-deliveries',
  `UPDATE webhook_deliveries SET response_body = NULL, response_headers = NULL
   WHERE event_id = ANY ($1::uuid[]) AND (response_body IS NOT NULL OR response_headers IS NOT NULL)`,
);

/**
 * Empties the deliveries of old events, whose own row goes next. $1: environment, $2 and $3: event and id of the last row of the
 * batch before, $4: the least id of an event that stays. Deliveries of deleted webhooks belong to no environment. Rows that are
 * empty already count for the batch, so that no statement reads many of them.
 */
export const EMPTY_OLD_DELIVERIES = statement(
  'webhooks-empty-old-deliveries',
  `WITH old AS MATERIALIZED (
     SELECT d.id, d.event_id, d.response_body IS NOT NULL OR d.response_headers IS NOT NULL AS filled
     FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
     WHERE (d.event_id, d.id) > ($2::uuid, $3::uuid) AND d.event_id < $4::uuid AND (w.id IS NULL OR w.environment = $1::environment)
     ORDER BY d.event_id, d.id LIMIT ${OLD_BATCH} FOR NO KEY UPDATE OF d SKIP LOCKED
   ),
   emptied AS (
     UPDATE webhook_deliveries SET response_body = NULL, response_headers = NULL
     WHERE id IN (SELECT id FROM old WHERE filled)
   )
   SELECT id, event_id FROM old ORDER BY event_id, id`,
);
