import { hasScope, type Scope } from '#contracts';
import type { LastErrorDto } from '../dto/last-error.dto';

/** Why a reply was not made. `message` is fit for clients that may read the status. */
export interface ReplyError {
  code: string;
  message: string;
}

/** @param scopes of the caller */
export function toLastError(
  error: ReplyError | null,
  nextTryAt: string | null,
  scopes: readonly Scope[],
): LastErrorDto | null {
  if (!error) return null;
  const message = hasScope(scopes, 'read:status') ? error.message : null;
  return { code: error.code, message, next_try_at: nextTryAt };
}
