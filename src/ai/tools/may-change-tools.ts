import { assertNoAiBudget } from '../../core/http/ai-budget-rule';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { hasScope } from '#contracts';

/** @throws ApiError INSUFFICIENT_PERMISSIONS */
export function assertMayChangeTools(caller: Caller): void {
  assertNoAiBudget(caller, 'change tools');
}

/** Calls hold what people wrote. @throws ApiError INSUFFICIENT_PERMISSIONS */
export function assertMayReadCalls({ scopes }: Caller): void {
  if (hasScope(scopes, 'read:messages')) return;
  throw new ApiError('INSUFFICIENT_PERMISSIONS', { required_scope: 'read:messages', key_scopes: scopes });
}
