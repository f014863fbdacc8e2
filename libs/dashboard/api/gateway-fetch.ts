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
 * `fetch` for the client. A refused key leads back to the sign-in. A refused scope reports the key's scopes, and the session
 * keeps them. A 429 makes the page show a notice.
 */
export function gatewayFetch(key: string): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 429) limit.reached(Number(response.headers.get('retry-after') ?? DEFAULT_WAIT_SECONDS));
    if (response.status === 401 || response.status === 403) {
      const { error } = (await response
        .clone()
        .json()
        .catch(() => ({}))) as Refusal;
      const isSignedOut = endRefusedSession(key, error?.code, error?.details);
      if (!isSignedOut && error?.details?.key_scopes) sessions.learnScopes(key, error.details.key_scopes);
    }
    return response;
  };
}

/** Error codes that end the session → the reason to show. */
const REASONS: Readonly<Record<string, (details: Details) => string>> = {
  INVALID_API_KEY: () => 'The gateway no longer accepts the key: it is unknown or has been revoked.',
  API_KEY_EXPIRED: ({ expired_at }) =>
    expired_at ? `The key expired on ${new Date(expired_at).toLocaleString()}.` : 'The key has expired.',
  IP_NOT_ALLOWED: ({ request_ip }) => `The key may not be used from this address (${request_ip ?? 'unknown'}).`,
};

/** Signs out if the code means that the gateway no longer accepts the key. @returns whether it does */
export function endRefusedSession(key: string, code = '', details?: Details | null): boolean {
  const reason = REASONS[code];
  if (reason) sessions.refuse(key, reason(details ?? {}));
  return reason !== undefined;
}
