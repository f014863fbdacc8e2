import { assertNoAiBudget } from '../../core/http/ai-budget-rule';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SettingsChanges } from '../../core/settings/settings';

/** @throws ApiError INSUFFICIENT_PERMISSIONS */
export function assertMayChange(caller: Caller, { ai, rate_limits }: SettingsChanges): void {
  if (ai === undefined && rate_limits === undefined) return;
  assertNoAiBudget(caller, 'change the settings ai and rate_limits');
}
