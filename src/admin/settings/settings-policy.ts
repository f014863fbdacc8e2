import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { SettingsChanges } from '../../core/settings/settings';

/** By these, a key could get round the AI budget that it has. */
const OF_AI = ['budget', 'prices', 'max_tokens_limit'] as const;

/** @throws ApiError INSUFFICIENT_PERMISSIONS naming `*`: no scope of a key with an AI budget is enough */
export function assertMayChange({ aiBudget, scopes }: Caller, { ai, rate_limits }: SettingsChanges): void {
  if (aiBudget === null) return;
  if (rate_limits === undefined && !OF_AI.some((field) => ai?.[field] !== undefined)) return;
  throw new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    { required_scope: '*', key_scopes: scopes },
    'A key with an AI budget may not change budgets, prices and limits.',
  );
}
