import { DEFAULT_ACCOUNT } from '#contracts';
import { statement } from '../../core/database/database.service';
import { ENDED, isFree, leaseOf } from '../../core/database/lease';
import { insertEvents } from '../../core/events/event.rows';

/** Channel on which a change of any platform's state is announced. */
export const INTEGRATIONS_CHANGED = 'integrations';

/** Channel of reconnect requests while a platform already reconnects: its holder ends the pause between attempts. */
export const RECONNECT_HURRIED = 'integrations_hurried';

/** How long a lease lasts without a renewal. With the interval of acquire attempts (3 s): takeover within 15 s. */
export const LEASE_SECONDS = 12;

/** The reason of a platform before its holder, if it has one, has connected or failed. */
export const CONNECTING = 'connecting';

/** SQL of the payload of an announcement: the platform alone for the account of the environment, as earlier versions read it. */
const payload = (platform: string, account: string) =>
  `${platform} || CASE ${account} WHEN '${DEFAULT_ACCOUNT}' THEN '' ELSE ' ' || ${account} END`;

const COLUMNS = `platform, account, status, reason, error_code, details, connected_at, holder, lease_until, fence, reconnect_request,
  announced, handed_over_at`;

/** All statements but `ALL` bind platform and account first. */
export const ENSURE = statement(
  'integration-ensure',
  `INSERT INTO integrations (platform, account, status, reason) VALUES ($1, $2, 'reconnecting', '${CONNECTING}')
   ON CONFLICT DO NOTHING`,
);

export const ACQUIRE = statement(
  'integration-acquire',
  `UPDATE integrations SET holder = $3, fence = fence + 1, lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND account = $2 AND ${isFree()}
   RETURNING ${COLUMNS}`,
);

export const RENEW = statement(
  'integration-renew',
  `UPDATE integrations SET lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND account = $2 AND holder = $3 AND fence = $4
   RETURNING ${COLUMNS}`,
);

export const RELEASE = statement(
  'integration-release',
  `WITH released AS (
     UPDATE integrations SET holder = NULL, lease_until = NULL,
       handed_over_at = CASE WHEN status = 'connected' THEN now() ELSE handed_over_at END
     WHERE platform = $1 AND account = $2 AND holder = $3 AND fence = $4 RETURNING platform, account
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || ${payload('platform', 'account')}) FROM released`,
);

export const CHANGE = statement(
  'integration-change',
  `WITH changed AS (
     UPDATE integrations SET status = $5, reason = $6, error_code = $7, details = coalesce($8, details),
       connected_at = coalesce($9, connected_at), announced = coalesce($11, announced)
     WHERE platform = $1 AND account = $2 AND holder = $3 AND fence = $4
     RETURNING platform
   ),
   ${insertEvents('$10', 'EXISTS (SELECT FROM changed)')}
   SELECT EXISTS (SELECT FROM changed) AS recorded, pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || ${payload('$1::text', '$2::text')})`,
);

/** Sets `connected` again, unless there was another reconnect request meanwhile. */
export const CONFIRM_CONNECTED = statement(
  'integration-confirm-connected',
  `WITH restated AS (
     UPDATE integrations SET status = 'connected', reason = NULL
     WHERE platform = $1 AND account = $2 AND holder = $3 AND fence = $4 AND reconnect_request = $5 AND status = 'reconnecting'
     RETURNING platform, account
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || ${payload('platform', 'account')}) FROM restated`,
);

/** Counts a request only if the platform is not reconnecting already: simultaneous requests cause one reconnect. */
export const REQUEST_RECONNECT = statement(
  'integration-request-reconnect',
  `WITH asked AS (
     UPDATE integrations SET reconnect_request = reconnect_request + 1, status = 'reconnecting',
       reason = 'a reconnect was requested'
     WHERE platform = $1 AND account = $2 AND status <> 'reconnecting' RETURNING platform
   )
   SELECT pg_notify('gateway',
     CASE WHEN EXISTS (SELECT FROM asked) THEN '${INTEGRATIONS_CHANGED}:' ELSE '${RECONNECT_HURRIED}:' END || ${payload('$1::text', '$2::text')})`,
);

export const ALL = statement('integration-all', `SELECT ${COLUMNS} FROM integrations`);

export const END_PLATFORM_LEASES = `UPDATE integrations SET lease_until = ${ENDED} WHERE lease_until > now()`;
