import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { hasScope } from '#contracts';

/** @throws ApiError INSUFFICIENT_PERMISSIONS that names `*`: no scope suffices for a key with an AI budget */
export function assertMayChangeTools({ aiBudget, scopes }: Caller): void {
  if (aiBudget === null) return;
  throw new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    { required_scope: '*', key_scopes: scopes },
    'A key with an AI budget cannot change tools.',
  );
}

/** Calls hold what people wrote. @throws ApiError INSUFFICIENT_PERMISSIONS */
export function assertMayReadCalls({ scopes }: Caller): void {
  if (hasScope(scopes, 'read:messages')) return;
  throw new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: 'read:messages', key_scopes: scopes });
}
