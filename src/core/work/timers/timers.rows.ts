import { COMMIT_WITHOUT_WAITING, statement } from '../../database/database.service';

/** A timer is held while its run lasts; if the run's process dies, others may claim it after this, in seconds. */
export const TIMER_LEASE_SECONDS = 10;

/** $1: names */
export const ADD_TIMERS = statement(
  'timers-add',
  'INSERT INTO timers (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
);

/**
 * $1: names, $2: for each the seconds until it is due again or its lease runs out, $3: deadline (see claimDeadline).
 * `next_at` is also the lease: no other instance claims a timer before it.
 */
export const CLAIM_TIMERS = statement(
  'timers-claim',
  `UPDATE timers SET next_at = now() + make_interval(secs => asked.seconds), fence = fence + 1
   FROM unnest($1::text[], $2::float8[]) AS asked (name, seconds)
   WHERE timers.name = asked.name AND next_at <= now() AND now() < $3::timestamptz
   RETURNING timers.name, fence, ${COMMIT_WITHOUT_WAITING}`,
);

/** $1: name, $2: fence, $3: seconds from now */
export const MOVE_TIMER = statement(
  'timers-move',
  `UPDATE timers SET next_at = now() + make_interval(secs => $3) WHERE name = $1 AND fence = $2
   RETURNING 1, ${COMMIT_WITHOUT_WAITING}`,
);
