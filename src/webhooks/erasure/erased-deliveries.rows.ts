import { statement } from '../../core/database/database.service';
import { ERASURE_BATCH } from '../../core/events/event.rows';

export const ERASED_COLUMNS = { webhook_deliveries: ['response_body', 'response_headers'] };

/** $1: conversation, $2: the last event of the batch before */
export const NEXT_EVENTS = statement(
  'erasure-next-events',
  `SELECT id FROM events WHERE conversation_id = $1::uuid AND id > $2::uuid ORDER BY id LIMIT ${ERASURE_BATCH}`,
);

/** After it, attempts that were under way are recorded. Locked in the order of the primary key, as everywhere. $1: events */
export const DROP_DISPATCHES = statement(
  'erasure-drop-dispatches',
  `DELETE FROM webhook_dispatches WHERE (event_id, webhook_id) IN (
     SELECT event_id, webhook_id FROM webhook_dispatches WHERE event_id = ANY ($1::uuid[])
     ORDER BY event_id, webhook_id FOR UPDATE
   )`,
);

/** A receiver may have repeated what it got. $1: events */
export const EMPTY_DELIVERIES = statement(
  'erasure-empty-deliveries',
  `UPDATE webhook_deliveries SET response_body = NULL, response_headers = NULL
   WHERE event_id = ANY ($1::uuid[]) AND (response_body IS NOT NULL OR response_headers IS NOT NULL)`,
);
