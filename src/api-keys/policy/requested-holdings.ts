import { fullModelName, type AiProviderName } from '#contracts';
import type { CreateApiKeyDto, UpdateApiKeyDto } from '../dto/api-key-request.dto';
import { normalizeRange } from './allowed-ips';
import { isUnrestricted, type Granter, type Holdings } from './grants';
import { windowsOf, type Tier } from './tiers';

/** The values of a key that an unrestricted key makes, for fields that the request leaves out. */
export const PLAIN: Holdings = {
  tier: 'standard',
  requestsPerMinute: null,
  requestsPerHour: null,
  allowedIps: [],
  expiresAt: null,
  aiBudgetDailyUsd: null,
  aiBudgetMonthlyUsd: null,
  aiModels: [],
};

/**
 * A new key takes over nothing from an unrestricted key, and everything from a restricted one.
 * @param tier that the request names: its limits, but none above the maker's, take the place of the maker's own
 */
export function takenOver(granter: Granter, tier?: Tier): Holdings {
  if (isUnrestricted(granter)) return PLAIN;
  if (!tier) return granter;
  const [perMinute, perHour] = windowsOf({ ...PLAIN, tier });
  const [ownPerMinute, ownPerHour] = windowsOf(granter);
  return {
    ...granter,
    requestsPerMinute: below(ownPerMinute!.limit, perMinute!.limit),
    requestsPerHour: below(ownPerHour!.limit, perHour!.limit),
  };
}

/** Null: the tier's limit is no higher. */
function below(own: number, tier: number): number | null {
  return own < tier ? own : null;
}

/**
 * @param base the values of fields that the request leaves out
 * @param provider of models that the request names without one: they are stored under their full names
 */
export function requestedHoldings(
  base: Holdings,
  request: CreateApiKeyDto | UpdateApiKeyDto,
  provider: AiProviderName,
): Holdings {
  const { rate_limit: limit, ai_budget: budget } = request;
  return {
    tier: request.tier ?? base.tier,
    requestsPerMinute: limit === null ? null : (limit?.requests_per_minute ?? base.requestsPerMinute),
    requestsPerHour: limit === null ? null : (limit?.requests_per_hour ?? base.requestsPerHour),
    allowedIps: request.allowed_ips
      ? [...new Set(request.allowed_ips.map((range) => normalizeRange(range)!))]
      : base.allowedIps,
    expiresAt: left(
      typeof request.expires_at === 'string' ? new Date(request.expires_at) : request.expires_at,
      base.expiresAt,
    ),
    aiBudgetDailyUsd: budget === null ? null : left(budget?.daily_usd, base.aiBudgetDailyUsd),
    aiBudgetMonthlyUsd: budget === null ? null : left(budget?.monthly_usd, base.aiBudgetMonthlyUsd),
    aiModels: request.ai_models
      ? [...new Set(request.ai_models.map((model) => fullModelName(model, provider)))]
      : base.aiModels,
  };
}

/** Null removes a value; a field that is left out keeps its value. */
function left<T>(requested: T | null | undefined, base: T | null): T | null {
  return requested === undefined ? base : requested;
}
