import { ENVIRONMENTS, hasScope, type Environment, type Scope } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { isNarrowing } from './allowed-ips';
import { TIER_NAMES, windowsOf } from './tiers';

/** What a key holds beside its environment and scopes. */
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
  throw refused(granter, '*', `Only a live key with the scope * makes keys of the other environment.`);
}

/** A key grants, changes and revokes only scopes it has. @throws ApiError INSUFFICIENT_PERMISSIONS naming the first it lacks */
export function assertHolds(granter: Granter, scopes: readonly Scope[]): void {
  const lacking = scopes.find((scope) => !hasScope(granter.scopes, scope));
  if (lacking === undefined) return;
  throw refused(granter, lacking, `This key does not hold the scope ${lacking} itself.`);
}

/** A `*` key without restrictions of its own grants freely, whatever its tier (ADR 19). */
export function grantsFreely(granter: Granter): boolean {
  const { scopes, allowedIps, expiresAt, requestsPerMinute, requestsPerHour } = granter;
  const bounds = [expiresAt, requestsPerMinute, requestsPerHour, granter.aiBudgetDailyUsd, granter.aiBudgetMonthlyUsd];
  return scopes.includes('*') && allowedIps.length === 0 && bounds.every((bound) => bound === null);
}

/**
 * A key gives a key (a new one, another or itself) no more than it holds: otherwise it could use the freer key to escape its
 * own restrictions. What a change leaves alone or takes away needs nothing; where a change adds anything, the granter has
 * to hold all that the key then holds: two keys that are restricted differently would else free each other.
 * @param current what the key holds so far, unless the grant gives all of it
 * @throws ApiError INSUFFICIENT_PERMISSIONS naming `*`
 */
export function assertGrants(granter: Granter, next: Holdings, current?: Holdings): void {
  if (grantsFreely(granter)) return;
  if (current && excessOf(next, current) === undefined) return;
  const excess = excessOf(next, granter);
  if (excess === undefined) return;
  throw refused(
    granter,
    '*',
    `Only a key with the scope * and no restrictions gives more ${excess} than it holds itself.`,
  );
}

/** The first field of which a key would hold more. */
function excessOf(next: Holdings, held: Holdings): string | undefined {
  return Object.keys(WITHIN).find((field) => !WITHIN[field]!(next, held));
}

/** Null: without an end. */
function isAtMost(next: number | null, held: number | null): boolean {
  return held === null || (next !== null && next <= held);
}

function refused({ scopes }: Granter, required: Scope, message: string): ApiError<'INSUFFICIENT_PERMISSIONS'> {
  return new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: required, key_scopes: scopes }, message);
}
