import { statement } from '../../core/database/database.service';
import { ENDED, isFree, leaseOf } from '../../core/database/lease';
import { insertEvents } from '../../core/events/event.rows';

/** Channel on which a change of any platform's state is announced. */
export const INTEGRATIONS_CHANGED = 'integrations';

/** A user asks for a reconnect while the platform reconnects anyway: its holder ends the pause between two attempts. */
export const RECONNECT_HURRIED = 'integrations_hurried';

/** How long an instance holds a platform without saying so again. With the renewal interval: takeover within 15 s. */
export const LEASE_SECONDS = 12;

/** The reason of a platform whose holder, if it has one, has not yet heard of it. */
export const CONNECTING = 'connecting';

const COLUMNS = `platform, status, reason, error_code, details, connected_at, holder, lease_until, fence, reconnect_request,
  announced, handed_over_at`;

export const ENSURE = statement(
  'integration-ensure',
  `INSERT INTO integrations (platform, status, reason) VALUES ($1, 'reconnecting', '${CONNECTING}') ON CONFLICT DO NOTHING`,
);

export const ACQUIRE = statement(
  'integration-acquire',
  `UPDATE integrations SET holder = $2, fence = fence + 1, lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND ${isFree()}
   RETURNING ${COLUMNS}`,
);

export const RENEW = statement(
  'integration-renew',
  `UPDATE integrations SET lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND holder = $2 AND fence = $3
   RETURNING ${COLUMNS}`,
);

export const RELEASE = statement(
  'integration-release',
  `WITH released AS (
     UPDATE integrations SET holder = NULL, lease_until = NULL,
       handed_over_at = CASE WHEN status = 'connected' THEN now() ELSE handed_over_at END
     WHERE platform = $1 AND holder = $2 AND fence = $3 RETURNING platform
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || platform) FROM released`,
);

export const CHANGE = statement(
  'integration-change',
  `WITH changed AS (
     UPDATE integrations SET status = $4, reason = $5, error_code = $6, details = coalesce($7, details),
       connected_at = coalesce($8, connected_at), announced = coalesce($10, announced)
     WHERE platform = $1 AND holder = $2 AND fence = $3
     RETURNING platform
   ),
   ${insertEvents('$9', 'EXISTS (SELECT FROM changed)')}
   SELECT EXISTS (SELECT FROM changed) AS recorded, pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || $1::text)`,
);

/** Repeats `connected`, unless a reconnect was asked for meanwhile. */
export const RESTATE = statement(
  'integration-restate',
  `WITH restated AS (
     UPDATE integrations SET status = 'connected', reason = NULL
     WHERE platform = $1 AND holder = $2 AND fence = $3 AND reconnect_request = $4 AND status = 'reconnecting'
     RETURNING platform
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || platform) FROM restated`,
);

/** Counted only where it starts something: many that ask at once want one new connection, not one each. */
export const REQUEST_RECONNECT = statement(
  'integration-request-reconnect',
  `WITH asked AS (
     UPDATE integrations SET reconnect_request = reconnect_request + 1, status = 'reconnecting',
       reason = 'a reconnect was asked for'
     WHERE platform = $1 AND status <> 'reconnecting' RETURNING platform
   )
   SELECT pg_notify('gateway',
     CASE WHEN EXISTS (SELECT FROM asked) THEN '${INTEGRATIONS_CHANGED}:' ELSE '${RECONNECT_HURRIED}:' END || $1::text)`,
);

export const ALL = statement('integration-all', `SELECT ${COLUMNS} FROM integrations`);

export const END_PLATFORM_LEASES = `UPDATE integrations SET lease_until = ${ENDED} WHERE lease_until > now()`;
