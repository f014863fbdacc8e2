import { ENDED, isFree, leaseOf } from '../../core/database/lease';
import { ENVIRONMENTS_SQL, hasFaulty, LOOK_LIMIT, secondsSince } from '../../core/work/monitor/due-work.rows';
import { batchStatement } from './batch-statement';

/**
 * Lease of a claimed dispatch, in seconds; its holder extends it while it works. If the process is killed, the receiver waits
 * this long.
 */
export const LEASE_SECONDS = 3;

/**
 * A dispatch that has been due for this long, in seconds, is old: it gets a small share of its webhook's attempts. Replays queue events
 * as old ones. Less than a minute, after which due work is overdue.
 */
const OLD_SECONDS = 50;
/** SQL of the moment before which a dispatch that became due is old. */
export const OLD = `now() - interval '${OLD_SECONDS} seconds'`;

const LEASE = leaseOf(LEASE_SECONDS);

/**
 * $1: webhooks, $2: how many dispatches of each, $3: how many of them may be old, $4: until when the claim may be made, $5: the
 * most dispatches in all. One statement for all webhooks that ask. Old ones come first, or new ones could hold all places.
 */
export const CLAIM = batchStatement(`
  WITH place AS (
    SELECT h.id, asked.places, asked.old FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS asked (id, places, old)
    JOIN webhooks h ON h.id = asked.id AND h.status = 'active'
    WHERE now() < $4::timestamptz
  ),
  due AS (
    SELECT d.* FROM place CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT event_id, webhook_id FROM webhook_dispatches
        WHERE webhook_id = place.id AND next_at <= ${OLD} AND ${isFree()}
        ORDER BY next_at LIMIT place.old FOR UPDATE SKIP LOCKED
      ) old
      UNION ALL
      SELECT * FROM (
        SELECT event_id, webhook_id FROM webhook_dispatches
        WHERE webhook_id = place.id AND next_at > ${OLD} AND next_at <= now() AND ${isFree()}
        ORDER BY next_at LIMIT place.places FOR UPDATE SKIP LOCKED
      ) fresh
      LIMIT place.places
    ) d
    LIMIT $5
  ),
  claimed AS (
    UPDATE webhook_dispatches d SET lease_until = ${LEASE}, fence = d.fence + 1
    FROM due WHERE d.event_id = due.event_id AND d.webhook_id = due.webhook_id
    RETURNING d.event_id, d.webhook_id, d.fence, d.attempts, d.retries, d.created_at, d.next_at <= ${OLD} AS is_old
  )
  SELECT c.*, e.environment, e.type AS event_type, e.body, e.traceparent, w.url, w.secret,
    CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret
  FROM claimed c JOIN events e ON e.id = c.event_id JOIN webhooks w ON w.id = c.webhook_id`);

const HELD = `FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS held (event_id, webhook_id, fence)
  WHERE d.event_id = held.event_id AND d.webhook_id = held.webhook_id AND d.fence = held.fence`;

export const EXTEND = batchStatement(`UPDATE webhook_dispatches d SET lease_until = ${LEASE} ${HELD}`);
export const RELEASE = batchStatement(`UPDATE webhook_dispatches d SET lease_until = NULL ${HELD}`);

export const FAULT = batchStatement(
  `UPDATE webhook_dispatches d SET faults = d.faults + 1, faulted_at = now() ${HELD}`,
);

const FREE = isFree();

/**
 * The state of the due work (DueState), a row for each environment. A dispatch of a webhook with attempts under way waits
 * for its turn, and one whose webhook is not active is held back: neither waits for an instance. Of each webhook it reads
 * those that are due longest, which claims take first; together `LOOK_LIMIT`, and one for each webhook.
 */
export const DISPATCHES_STATE = `
   WITH wanting AS (
     SELECT id, environment FROM webhooks
     WHERE status = 'active' AND EXISTS (SELECT FROM webhook_dispatches WHERE webhook_id = webhooks.id AND next_at <= now())
   ),
   due AS (
     SELECT environment, count(*) AS due, min(next_at) AS oldest, count(*) FILTER (WHERE NOT free) AS running
     FROM wanting CROSS JOIN LATERAL (
       SELECT next_at, ${FREE} AS free FROM webhook_dispatches
       WHERE webhook_id = wanting.id AND next_at <= now()
       ORDER BY next_at LIMIT 1 + ${LOOK_LIMIT} / (SELECT count(*) FROM wanting)
     ) dispatch
     GROUP BY environment, wanting.id
   )
   SELECT coalesce(sum(due), 0)::integer AS due, ${secondsSince('min(oldest)')} AS oldest_seconds,
     coalesce(sum(running), 0)::integer AS running,
     ${secondsSince('min(oldest) FILTER (WHERE running = 0)')} AS waiting_seconds,
     ${hasFaulty('webhook_dispatches')} AS faulty
   FROM ${ENVIRONMENTS_SQL} LEFT JOIN due USING (environment) GROUP BY environment`;

/** The webhooks with a dispatch that can be claimed. */
export const DUE_WEBHOOKS = `
  SELECT environment, id AS key FROM webhooks
  WHERE status = 'active' AND EXISTS (
    SELECT FROM webhook_dispatches WHERE webhook_id = webhooks.id AND next_at <= now() AND ${FREE}
  )`;

export const END_DISPATCH_LEASES = `
  UPDATE webhook_dispatches SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

/** In a restored database: receivers may already have these events. They wait for the operator. */
export const HOLD_DISPATCHES = `
  UPDATE webhook_dispatches SET state = 'held', next_at = NULL, lease_until = NULL, fence = fence + 1
  WHERE next_at IS NOT NULL`;
