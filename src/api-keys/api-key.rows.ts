import { statement } from '../core/database/database.service';

export const FIND_KEY = statement(
  'api-key-find',
  `SELECT id, environment, scopes, tier, allowed_ips AS "allowedIps", requests_per_minute AS "requestsPerMinute",
     requests_per_hour AS "requestsPerHour", ai_budget_daily_usd AS "aiBudgetDailyUsd",
     ai_budget_monthly_usd AS "aiBudgetMonthlyUsd", ai_models AS "aiModels", expires_at AS "expiresAt", revoked_at AS "revokedAt",
     CASE WHEN digest = $1 THEN NULL ELSE previous_ends_at END AS "valueEndsAt"
   FROM api_keys WHERE digest = $1 OR previous_digest = $1`,
);

/** Counts uses by key and hour, and notes the newest of each key. `$1` the rows, sorted by key and hour */
export const RECORD_USE = statement(
  'api-key-used',
  `WITH used AS (
     SELECT * FROM json_to_recordset($1::json)
       AS u(id uuid, hour timestamptz, requests bigint, refusals bigint, at timestamptz, address text)
   ),
   counted AS (
     INSERT INTO api_key_usage AS c (api_key_id, hour, requests, refusals)
     SELECT id, hour, requests, refusals FROM used ORDER BY id, hour
     ON CONFLICT (api_key_id, hour) DO UPDATE
       SET requests = c.requests + excluded.requests, refusals = c.refusals + excluded.refusals
   )
   UPDATE api_keys k SET last_used_at = u.at, last_address = u.address
   FROM (SELECT DISTINCT ON (id) id, at, address FROM used ORDER BY id, at DESC) u
   WHERE k.id = u.id AND k.revoked_at IS NULL AND (k.last_used_at IS NULL OR k.last_used_at <= u.at)`,
);
