import { maskKey, toPublicId, type Environment, type Scope } from '#contracts';
import { statement } from '../core/database/database.service';
import type { ApiKeyDto, KeyStatus } from './dto/api-key.dto';
import { TIERS, type Tier } from './tiers';

export const KEY_COLUMNS = `id, environment, name, last_four, scopes, tier, allowed_ips, requests_per_minute, requests_per_hour,
  created_at, expires_at, last_used_at, revoked_at`;

/** A row of `api_keys` without its digest. */
export interface KeyRow {
  id: string;
  environment: Environment;
  name: string;
  last_four: string;
  scopes: Scope[];
  tier: Tier;
  allowed_ips: string[];
  requests_per_minute: number | null;
  requests_per_hour: number | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

export const READ_KEY = statement(
  'api-key-read',
  `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = $1 AND environment = ANY($2::environment[]) FOR UPDATE`,
);

export const OWN_KEY = statement('api-key-own', `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = $1`);

export const INSERT_KEY = statement(
  'api-key-insert',
  `INSERT INTO api_keys (id, environment, name, digest, last_four, scopes, tier, allowed_ips, requests_per_minute,
     requests_per_hour, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6::text[], $7, $8::text[], $9, $10, $11, $12) RETURNING ${KEY_COLUMNS}`,
);

export const UPDATE_KEY = statement(
  'api-key-update',
  `UPDATE api_keys SET name = $2, tier = $3, allowed_ips = $4::text[], requests_per_minute = $5, requests_per_hour = $6,
     expires_at = $7
   WHERE id = $1 RETURNING ${KEY_COLUMNS}`,
);

export const REVOKE_KEY = statement('api-key-revoke', 'UPDATE api_keys SET revoked_at = $2 WHERE id = $1');

/** Whether another `*` key of the environment stays active until $4 (null: for ever) at least. */
export const OTHER_FULL_KEY = statement(
  'api-key-other-full',
  `SELECT 1 FROM api_keys WHERE environment = $1 AND id <> $2 AND '*' = ANY(scopes) AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > $3::timestamptz) LIMIT 1`,
);

/** SQL of the moment's status; $n is now. */
export const STATUS_CONDITIONS: Readonly<Record<KeyStatus, (now: string) => string>> = {
  active: (now) => `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`,
  expired: (now) => `revoked_at IS NULL AND expires_at <= ${now}`,
  revoked: () => 'revoked_at IS NOT NULL',
};

/** Revoked outlasts expired: a revoked key never becomes anything else. */
export function statusOf(row: Pick<KeyRow, 'revoked_at' | 'expires_at'>, now: number): KeyStatus {
  if (row.revoked_at) return 'revoked';
  return row.expires_at && row.expires_at.getTime() <= now ? 'expired' : 'active';
}

export function toApiKey(row: KeyRow, now: number): ApiKeyDto {
  const { requests_per_minute: perMinute, requests_per_hour: perHour } = row;
  const tier = TIERS[row.tier];
  return {
    id: toPublicId('api_key', row.id),
    name: row.name,
    environment: row.environment,
    masked_key: maskKey(row.environment, row.last_four),
    scopes: row.scopes,
    tier: row.tier,
    allowed_ips: row.allowed_ips,
    rate_limit:
      perMinute === null && perHour === null
        ? null
        : { requests_per_minute: perMinute ?? tier.perMinute, requests_per_hour: perHour ?? tier.perHour },
    status: statusOf(row, now),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
