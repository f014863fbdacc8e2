import { statement } from '../../core/database/database.service';

/** Keeps the newest value of each fact, because instances write in any order. */
export const RECORD = statement(
  'integration-health-record',
  `INSERT INTO integration_health AS h
     (environment, platform, account, direction, last_success_at, last_error_at, last_error_code, last_error, backlog, backlog_at)
   SELECT environment, platform, account, direction, last_success_at, last_error_at, last_error_code, last_error, backlog, backlog_at
   FROM json_to_recordset($1::json) AS n(environment environment, platform text, account text, direction text, last_success_at timestamptz,
     last_error_at timestamptz, last_error_code text, last_error text, backlog integer, backlog_at timestamptz)
   -- Every instance locks the rows in this order, so that two writers do not deadlock.
   ORDER BY environment, platform, account, direction
   ON CONFLICT (environment, platform, account, direction) DO UPDATE SET
     last_success_at = greatest(h.last_success_at, excluded.last_success_at),
     last_error_at = greatest(h.last_error_at, excluded.last_error_at),
     last_error_code = CASE WHEN excluded.last_error_at >= coalesce(h.last_error_at, '-infinity')
       THEN excluded.last_error_code ELSE h.last_error_code END,
     last_error = CASE WHEN excluded.last_error_at >= coalesce(h.last_error_at, '-infinity')
       THEN excluded.last_error ELSE h.last_error END,
     backlog = CASE WHEN excluded.backlog_at >= coalesce(h.backlog_at, '-infinity') THEN excluded.backlog ELSE h.backlog END,
     backlog_at = greatest(h.backlog_at, excluded.backlog_at)`,
);
