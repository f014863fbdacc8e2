import { ENVIRONMENTS, hasScope, type Environment, type Scope } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { isNarrowing } from './allowed-ips';
import type { ApiKeyEntity } from './entities/api-key.entity';
import { windowsOf } from './tiers';

/** The environments whose keys a key may see and manage: its own; for a live `*` key both. */
export function managedEnvironments({ environment, scopes }: Caller): readonly Environment[] {
  return environment === 'live' && scopes.includes('*') ? ENVIRONMENTS : [environment];
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS if the caller may not make keys of that environment */
export function assertManages(caller: Caller, environment: Environment): void {
  if (managedEnvironments(caller).includes(environment)) return;
  throw refused(caller, '*', `Only a live key with the scope * makes keys of the other environment.`);
}

/** A key grants, changes and revokes only scopes it has. @throws ApiError INSUFFICIENT_PERMISSIONS naming the first it lacks */
export function assertHolds(caller: Caller, scopes: readonly Scope[]): void {
  const lacking = scopes.find((scope) => !hasScope(caller.scopes, scope));
  if (lacking === undefined) return;
  throw refused(caller, lacking, `This key does not hold the scope ${lacking} itself.`);
}

/** Restrictions of a key, beside its scopes. */
export type Restrictions = Pick<
  ApiKeyEntity,
  'tier' | 'requestsPerMinute' | 'requestsPerHour' | 'allowedIps' | 'expiresAt'
>;

/** Restrictions on managing keys. Rate limits are none: they protect the service rather than the data (ADR 0019). */
export type Bounds = Pick<ApiKeyEntity, 'allowedIps' | 'expiresAt'>;

/**
 * A caller without `*` gives a key (a new one, another or itself) only rights that it has: otherwise it could use the freer
 * key to escape its own restrictions. Rights that the key already has may stay.
 * @param own restrictions of the caller
 * @param current restrictions of the key so far, unless it is new
 * @throws ApiError INSUFFICIENT_PERMISSIONS
 */
export function assertFreesNone(caller: Caller, own: Bounds, next: Bounds, current?: Bounds): void {
  const granting = current ? [own, current] : [own];
  const ranges = granting.flatMap(({ allowedIps }) => allowedIps);
  if (granting.every(({ allowedIps }) => allowedIps.length > 0) && !isNarrowing(ranges, next.allowedIps)) {
    throw refused(caller, '*', 'Only a key with the scope * may give a key wider allowed_ips than its own.');
  }
  if (!granting.some((bounds) => endsWithin(bounds, next))) {
    throw refused(caller, '*', 'Only a key with the scope * may let a key outlast itself.');
  }
}

function endsWithin({ expiresAt: end }: Bounds, { expiresAt: next }: Bounds): boolean {
  return end === null || (next !== null && next <= end);
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS if a key without `*` would raise its own limits */
export function assertOwnLimitsKept(caller: Caller, current: Restrictions, next: Restrictions): void {
  const windows = windowsOf(current);
  if (windowsOf(next).every(({ limit }, index) => limit <= windows[index]!.limit)) return;
  throw refused(caller, '*', 'Only a key with the scope * may widen its own limits.');
}

function refused({ scopes }: Caller, required: Scope, message: string): ApiError<'INSUFFICIENT_PERMISSIONS'> {
  return new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: required, key_scopes: scopes }, message);
}
