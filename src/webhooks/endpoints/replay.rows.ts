import { triesOneOfTwo } from '../../core/database/advisory-locks';
import { statement } from '../../core/database/database.service';
import { isFree } from '../../core/database/lease';
import { isOfAccounts } from '../../core/events/event.rows';
import { OLD } from '../dispatch/dispatch.rows';
import { isTestEventSql } from '../dispatch/test-event';

/**
 * $1: webhook, $2 and $3: time and id to continue after, $4: how many. It skips events from before the webhook was made,
 * events that are being delivered right now, and test events. The dispatches that it queues count as old. It locks rows in the order of `inLockOrder`.
 */
export const REPLAY = statement(
  'webhook-replay',
  `WITH event AS (
     SELECT e.id, e.created_at FROM events e JOIN webhooks w ON w.id = $1 AND w.environment = e.environment
     WHERE (e.created_at, e.id) > ($2::timestamptz, $3::uuid) AND e.created_at >= w.created_at AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
       AND NOT ${isTestEventSql('e')} AND ${isOfAccounts('e', 'w')}
     ORDER BY e.created_at, e.id LIMIT $4
   ),
   queued AS (
     INSERT INTO webhook_dispatches AS d (event_id, webhook_id, created_at, next_at)
     SELECT id, $1, now(), ${OLD} FROM event
     WHERE NOT EXISTS (
       SELECT FROM webhook_dispatches done
       WHERE done.event_id = event.id AND done.webhook_id = $1 AND done.delivered_at IS NOT NULL
     )
     ORDER BY id
     ON CONFLICT (event_id, webhook_id) DO UPDATE SET
       state = 'pending', retries = 0, next_at = ${OLD}, lease_until = NULL, fence = d.fence + 1
       WHERE d.delivered_at IS NULL AND ${isFree('d.lease_until')}
     RETURNING 1
   )
   SELECT (SELECT count(*) FROM queued)::integer AS queued, count(*)::integer AS seen,
     max(created_at) AS last_at, (array_agg(id ORDER BY created_at DESC, id DESC))[1] AS last_id
   FROM event`,
);

/** PostgreSQL frees the place at the end of the transaction, even if the process dies. */
export const PLACES = {
  live: statement('replay-place-live', `SELECT ${triesOneOfTwo('replays', 1)} AS taken`),
  test: statement('replay-place-test', `SELECT ${triesOneOfTwo('replays', 3)} AS taken`),
};

export const STATUS = statement('replay-status', 'SELECT status FROM webhooks WHERE id = $1 AND environment = $2');
