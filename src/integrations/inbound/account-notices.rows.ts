import { statement } from '../../core/database/database.service';
import { insertEvents } from '../../core/events/event.rows';
import { claimKey } from '../../core/idempotency/idempotency.rows';

/** Counted up to here, as problems are. */
const MOST_COUNTED = 10_000;
const MOST_EVENTS = 5;
/** The keys of notices are among those of requests, which belong to an API key each. */
const NO_API_KEY = '00000000-0000-0000-0000-000000000000';
/** A cause that was quiet for so long is counted again from one. */
const IS_NEW = `n.last_at < excluded.last_at - interval '24 hours'`;

/**
 * Stores the event of a notice, and counts the notice by its cause if it is a problem. A notice that came in the last 24 hours
 * changes nothing, and no row is returned: a platform delivers an update again if its first answer was lost.
 * $1: environment, $2: platform, $3: cause, $4: severity, $5: message, $6: id of the event, $7: time, $8: events, $9: key of the
 * notice, $10: its digest, $11: account.
 */
export const RECORD_NOTICE = statement(
  'notice-record',
  `WITH claim AS (${claimKey(`'${NO_API_KEY}'`, '$9', '$10::bytea', '$6')}),
   notice AS (
     INSERT INTO integration_notices AS n (environment, platform, cause, severity, message, event_ids, first_at, last_at, account)
     SELECT $1::environment, $2::text, $3::text, $4::text, $5::text, ARRAY[$6::uuid], $7::timestamptz, $7, $11::text FROM claim WHERE $4 <> 'info'
     ON CONFLICT (environment, platform, account, cause) DO UPDATE SET
       severity = excluded.severity, message = excluded.message, last_at = greatest(n.last_at, excluded.last_at),
       first_at = CASE WHEN ${IS_NEW} THEN excluded.first_at ELSE n.first_at END,
       count = CASE WHEN ${IS_NEW} THEN 1 ELSE least(n.count + 1, ${MOST_COUNTED}) END,
       event_ids = CASE WHEN ${IS_NEW} THEN excluded.event_ids ELSE (excluded.event_ids || n.event_ids)[1:${MOST_EVENTS}] END
   ),
   ${insertEvents('$8', 'EXISTS (SELECT FROM claim)')}
   SELECT 1 FROM claim`,
);
