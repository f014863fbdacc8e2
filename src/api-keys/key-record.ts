import { IsNull, LessThanOrEqual, MoreThan, Not, Or, type FindOptionsWhere } from 'typeorm';
import { maskKey, shownModelName, toPublicId, type AiProviderName } from '#contracts';
import type { ApiKeyDto, KeyStatus } from './dto/api-key.dto';
import type { ApiKeyEntity } from './entities/api-key.entity';
import { aiBudgetOf } from './policy/ai-budget';
import { TIERS } from './policy/tiers';

/** Revoked takes precedence over expired: a revoked key never changes its status again. */
export function statusOf(key: Pick<ApiKeyEntity, 'revokedAt' | 'expiresAt'>, now: number): KeyStatus {
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt.getTime() <= now ? 'expired' : 'active';
}

/** Selects the keys that have a status at a moment. */
export const WITH_STATUS: Readonly<Record<KeyStatus, (at: Date) => FindOptionsWhere<ApiKeyEntity>>> = {
  active: (at) => ({ revokedAt: IsNull(), expiresAt: Or(IsNull(), MoreThan(at)) }),
  expired: (at) => ({ revokedAt: IsNull(), expiresAt: LessThanOrEqual(at) }),
  revoked: () => ({ revokedAt: Not(IsNull()) }),
};

/** Who made the keys that no key made. */
export const CREATORS = { start: 'start', cli: 'cli' } as const;

/** @param provider of names of models without one, in the environment of the key */
export function toKeyRecord(key: ApiKeyEntity, now: number, provider: AiProviderName): ApiKeyDto {
  const { requestsPerMinute: perMinute, requestsPerHour: perHour } = key;
  const tier = TIERS[key.tier];
  const budget = aiBudgetOf(key);
  return {
    id: toPublicId('api_key', key.id),
    name: key.name,
    environment: key.environment,
    masked_key: maskKey(key.environment, key.lastFour),
    scopes: key.scopes,
    tier: key.tier,
    allowed_ips: key.allowedIps,
    rate_limit:
      perMinute === null && perHour === null
        ? null
        : { requests_per_minute: perMinute ?? tier.perMinute, requests_per_hour: perHour ?? tier.perHour },
    ai_budget: budget && { daily_usd: budget.dailyUsd, monthly_usd: budget.monthlyUsd },
    ai_models: key.aiModels.map((model) => shownModelName(model, provider)),
    status: statusOf(key, now),
    created_by:
      key.createdBy === null || key.createdBy in CREATORS ? key.createdBy : toPublicId('api_key', key.createdBy),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
