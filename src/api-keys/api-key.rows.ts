import { statement } from '../core/database/database.service';

export const FIND_KEY = statement(
  'api-key-find',
  `SELECT id, environment, scopes, tier, allowed_ips AS "allowedIps", requests_per_minute AS "requestsPerMinute",
     requests_per_hour AS "requestsPerHour", ai_budget_daily_usd AS "aiBudgetDailyUsd",
     ai_budget_monthly_usd AS "aiBudgetMonthlyUsd", ai_models AS "aiModels", expires_at AS "expiresAt", revoked_at AS "revokedAt",
     CASE WHEN digest = $1 THEN NULL ELSE previous_ends_at END AS "valueEndsAt"
   FROM api_keys WHERE digest = $1 OR previous_digest = $1`,
);

export const RECORD_USE = statement(
  'api-key-used',
  `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)
   FROM unnest($1::uuid[], $2::timestamptz[]) AS u(id, at) WHERE k.id = u.id AND k.revoked_at IS NULL`,
);
