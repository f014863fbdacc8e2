import { ENVIRONMENTS, hasScope, type Environment, type Scope } from '#contracts';
import { ApiError } from '../core/http/api-error';
import type { Caller } from '../core/http/request-context';
import { isNarrowing } from './allowed-ips';
import type { KeyRow } from './key-rows';
import { windowsOf } from './tiers';

/** The environments whose keys a key may see and manage: its own; a live `*` key those of both. */
export function managedEnvironments({ environment, scopes }: Caller): readonly Environment[] {
  return environment === 'live' && scopes.includes('*') ? ENVIRONMENTS : [environment];
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS where the caller may not make keys of that environment */
export function assertManages(caller: Caller, environment: Environment): void {
  if (managedEnvironments(caller).includes(environment)) return;
  throw refused(caller, '*', `Only a live key with the scope * makes keys of the other environment.`);
}

/** Nobody grants, changes or takes away more than it has. @throws ApiError INSUFFICIENT_PERMISSIONS naming the first lacking scope */
export function assertHolds(caller: Caller, scopes: readonly Scope[]): void {
  const lacking = scopes.find((scope) => !hasScope(caller.scopes, scope));
  if (lacking === undefined) return;
  throw refused(caller, lacking, `This key does not hold the scope ${lacking} itself.`);
}

/** What restricts a key, beside its scopes. */
export type Restrictions = Pick<
  KeyRow,
  'tier' | 'requests_per_minute' | 'requests_per_hour' | 'allowed_ips' | 'expires_at'
>;

/** @throws ApiError INSUFFICIENT_PERMISSIONS when a key without `*` would loosen what restricts itself */
export function assertNoOwnWidening(caller: Caller, current: Restrictions, next: Restrictions): void {
  if (caller.scopes.includes('*')) return;
  const windows = windowsOf(current);
  const widened = [
    windowsOf(next).some(({ limit }, index) => limit > windows[index]!.limit) && 'limits',
    !isNarrowing(current.allowed_ips, next.allowed_ips) && 'allowed_ips',
    current.expires_at && (!next.expires_at || next.expires_at > current.expires_at) && 'expires_at',
  ].find(Boolean);
  if (widened) throw refused(caller, '*', `Only a key with the scope * may widen its own ${widened}.`);
}

/**
 * What a new key is bound by: a caller without `*` that is itself bound to addresses or by an expiry binds it at least as
 * much, or it could free itself by making a freer key.
 * @throws ApiError INSUFFICIENT_PERMISSIONS when more is asked for
 */
export function boundBy(
  caller: Caller,
  own: Pick<KeyRow, 'allowed_ips' | 'expires_at'>,
  asked: { allowedIps?: string[]; expiresAt: Date | null },
): { allowedIps: string[]; expiresAt: Date | null } {
  const { allowedIps = own.allowed_ips, expiresAt } = asked;
  if (!isNarrowing(own.allowed_ips, allowedIps)) {
    throw refused(caller, '*', 'Only a key with the scope * may make a key with wider allowed_ips than its own.');
  }
  if (own.expires_at && expiresAt && expiresAt > own.expires_at) {
    throw refused(caller, '*', 'Only a key with the scope * may make a key that outlasts it.');
  }
  return { allowedIps, expiresAt: expiresAt ?? own.expires_at };
}

function refused({ scopes }: Caller, required: Scope, message: string): ApiError<'INSUFFICIENT_PERMISSIONS'> {
  return new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: required, key_scopes: scopes }, message);
}
