import { ENVIRONMENTS, hasScope, type Environment, type Scope } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { isNarrowing } from './allowed-ips';
import { TIER_NAMES, windowsOf } from './tiers';

/** Limits of a key beside its environment and scopes. */
export type Holdings = Pick<
  ApiKeyEntity,
  | 'tier'
  | 'requestsPerMinute'
  | 'requestsPerHour'
  | 'allowedIps'
  | 'expiresAt'
  | 'aiBudgetDailyUsd'
  | 'aiBudgetMonthlyUsd'
  | 'aiModels'
>;

/** A key that makes, changes, rolls or revokes keys. */
export type Granter = Holdings & Pick<ApiKeyEntity, 'environment' | 'scopes'>;

/** By field of the API: whether one key holds no more of it than another. */
const WITHIN: Readonly<Record<string, (next: Holdings, held: Holdings) => boolean>> = {
  allowed_ips: (next, held) => isNarrowing(held.allowedIps, next.allowedIps),
  expires_at: (next, held) => isAtMost(next.expiresAt?.getTime() ?? null, held.expiresAt?.getTime() ?? null),
  tier: (next, held) => TIER_NAMES.indexOf(next.tier) <= TIER_NAMES.indexOf(held.tier),
  rate_limit: (next, held) => {
    const windows = windowsOf(held);
    return windowsOf(next).every(({ limit }, index) => limit <= windows[index]!.limit);
  },
  ai_budget: (next, held) =>
    isAtMost(next.aiBudgetDailyUsd, held.aiBudgetDailyUsd) &&
    isAtMost(next.aiBudgetMonthlyUsd, held.aiBudgetMonthlyUsd),
  ai_models: ({ aiModels: next }, { aiModels: held }) =>
    held.length === 0 || (next.length > 0 && next.every((model) => held.includes(model))),
};

interface ManagingKey {
  environment: Environment;
  scopes: readonly Scope[];
}

/** The environments whose keys a key may see and manage: its own; for a live `*` key both. */
export function managedEnvironments({ environment, scopes }: ManagingKey): readonly Environment[] {
  return environment === 'live' && scopes.includes('*') ? ENVIRONMENTS : [environment];
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS if the granter may not make keys of that environment */
export function assertManages(granter: Granter, environment: Environment): void {
  if (managedEnvironments(granter).includes(environment)) return;
  throw refused(granter, '*', `Only a live key with the scope * can create keys for the other environment.`);
}

/** A key grants, changes and revokes only scopes it has. @throws ApiError INSUFFICIENT_PERMISSIONS naming the first it lacks */
export function assertHolds(granter: Granter, scopes: readonly Scope[]): void {
  const lacking = scopes.find((scope) => !hasScope(granter.scopes, scope));
  if (lacking === undefined) return;
  throw refused(granter, lacking, `This key does not have the scope ${lacking} itself.`);
}

/** A `*` key without restrictions holds everything, whatever its tier: it may raise its own (ADR 19). */
export function isUnrestricted(key: Granter): boolean {
  const tier = windowsOf({ tier: key.tier, requestsPerMinute: null, requestsPerHour: null });
  return (
    key.scopes.includes('*') &&
    key.allowedIps.length === 0 &&
    key.expiresAt === null &&
    key.aiBudgetDailyUsd === null &&
    key.aiBudgetMonthlyUsd === null &&
    key.aiModels.length === 0 &&
    windowsOf(key).every(({ limit }, index) => limit >= tier[index]!.limit)
  );
}

/**
 * A key gives a new key, or a key that it changes, no more than it holds: otherwise it could use the freer key to escape
 * its own restrictions. @throws ApiError INSUFFICIENT_PERMISSIONS naming `*`
 */
export function assertGrants(granter: Granter, next: Holdings): void {
  assertWithin(granter, next, (field) => `may grant more than its own ${field}`);
}

/**
 * A key changes, rolls and revokes only keys that hold no more than itself: otherwise a restricted key could restrict or
 * revoke keys with fewer restrictions, and remain the least restricted one. @throws ApiError INSUFFICIENT_PERMISSIONS
 */
export function assertMayChange(granter: Granter, current: Holdings & Pick<ApiKeyEntity, 'scopes'>): void {
  assertHolds(granter, current.scopes);
  assertWithin(granter, current, (field) => `may change a key with more than its own ${field}`);
}

function assertWithin(granter: Granter, holdings: Holdings, deed: (field: string) => string): void {
  if (isUnrestricted(granter)) return;
  const excess = Object.keys(WITHIN).find((field) => !WITHIN[field]!(holdings, granter));
  if (excess === undefined) return;
  throw refused(granter, '*', `Only a key with the scope * and no restrictions ${deed(excess)}.`);
}

/** Null: without an end. */
function isAtMost(next: number | null, held: number | null): boolean {
  return held === null || (next !== null && next <= held);
}

function refused({ scopes }: Granter, required: Scope, message: string): ApiError<'INSUFFICIENT_PERMISSIONS'> {
  return new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: required, key_scopes: scopes }, message);
}
