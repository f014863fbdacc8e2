import type { Fetch } from '#client';
import { sessions, type Scope } from '../session/session';
import { limit } from './limit';

interface Details {
  key_scopes?: Scope[];
  expired_at?: string;
  request_ip?: string;
}

interface Refusal {
  error?: { code?: string; details?: Details | null };
}

const DEFAULT_WAIT_SECONDS = 5;

/**
 * `fetch` for the client: a refused key leads back to the sign-in, a refused scope tells what the key may do, and a limit
 * holds all requests of the page back until it has passed.
 */
export function gatewayFetch(key: string): Fetch {
  return async (url, init) => {
    await limit.passed();
    const response = await fetch(url, init);
    if (response.status === 429) limit.reached(Number(response.headers.get('retry-after') ?? DEFAULT_WAIT_SECONDS));
    if (response.status === 401 || response.status === 403) {
      refused(
        key,
        (await response
          .clone()
          .json()
          .catch(() => ({}))) as Refusal,
      );
    }
    return response;
  };
}

/** Why a refusal ends the session, in words. */
const REASONS: Readonly<Record<string, (details: Details) => string>> = {
  INVALID_API_KEY: () => 'The gateway no longer accepts the key: it is unknown or has been revoked.',
  API_KEY_EXPIRED: ({ expired_at }) => `The key expired on ${new Date(expired_at ?? 0).toLocaleString()}.`,
  IP_NOT_ALLOWED: ({ request_ip }) => `The key may not be used from this address (${request_ip ?? 'unknown'}).`,
};

function refused(key: string, { error }: Refusal): void {
  const reason = REASONS[error?.code ?? ''];
  if (reason) return sessions.refuse(key, reason(error?.details ?? {}));
  if (error?.details?.key_scopes) sessions.learnScopes(key, error.details.key_scopes);
}
