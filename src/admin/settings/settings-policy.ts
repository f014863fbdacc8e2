import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SettingsChanges } from '../../core/settings/settings';

/** @throws ApiError INSUFFICIENT_PERMISSIONS that names `*`: no scope suffices for a key with an AI budget */
export function assertMayChange({ aiBudget, scopes }: Caller, { ai, rate_limits }: SettingsChanges): void {
  if (aiBudget === null || (ai === undefined && rate_limits === undefined)) return;
  throw new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    { required_scope: '*', key_scopes: scopes },
    'A key with an AI budget cannot change the settings ai and rate_limits.',
  );
}
