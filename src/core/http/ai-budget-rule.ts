import { ApiError } from './lifecycle/api-error';
import type { Caller } from './lifecycle/request-context';

/**
 * A key with an AI budget changes nothing that the AI costs or how it answers: it could spend more than its budget.
 * @param action in the words of the message, such as `change tools`
 * @throws ApiError INSUFFICIENT_PERMISSIONS that names `*`: no scope suffices for such a key
 */
export function assertNoAiBudget({ aiBudget, scopes }: Caller, action: string): void {
  if (aiBudget === null) return;
  const details = { required_scope: '*', key_scopes: scopes } as const;
  throw new ApiError('INSUFFICIENT_PERMISSIONS', details, `A key with an AI budget cannot ${action}.`);
}
