import { sanitizeText } from '#contracts';
import { AiProviderError, type AiErrorType } from '../ai-provider.error';

const BY_STATUS: Readonly<Record<number, AiErrorType>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'spend_limit',
  403: 'permission_denied',
  404: 'model_not_found',
  408: 'timeout',
  409: 'unavailable',
  413: 'request_too_large',
  422: 'invalid_request',
  429: 'rate_limited',
  504: 'timeout',
  529: 'overloaded',
};

/** Undefined for a status that says nothing. */
export function typeOfStatus(status: number | undefined): AiErrorType | undefined {
  if (status === undefined) return undefined;
  return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : undefined);
}

/**
 * The API's own message, if any. A body in another form is a proxy's, and our clients must not see it.
 * @param secret must never appear in a message
 */
export function failureMessage(said: unknown, status: number | undefined, secret: string | undefined): string {
  const origin = status === undefined ? 'The AI provider' : `The AI provider answered ${status}`;
  if (typeof said !== 'string' || said === '') return `${origin}${status === undefined ? ' failed' : ''}`;
  const clean = (secret ? said.replaceAll(secret, '[redacted]') : said)
    .replaceAll(/\bsk-[\w-]{4,}/g, '[redacted]')
    .replaceAll(/\/\/[^/\s@]+@/g, '//[redacted]@');
  return `${origin}: ${sanitizeText(clean, 500)}`;
}

/** A fixed message: `fetch` puts the whole URL, credentials included, into some of its messages. */
export function unreachable(error: unknown): AiProviderError {
  if (error instanceof SyntaxError) return notJson(error);
  const code = networkCode(error);
  return new AiProviderError('unavailable', `The AI provider could not be reached${code ? ` (${code})` : ''}`, {
    retryable: true,
    cause: error,
  });
}

export function notJson(cause?: unknown): AiProviderError {
  const message = 'The AI provider returned a response that is not JSON';
  return new AiProviderError('unavailable', message, { retryable: true, cause });
}

/** ECONNREFUSED and the like: undici hides it in the `cause` of "fetch failed". */
function networkCode(error: unknown): string | undefined {
  let e = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; e && depth < 5; depth++) {
    if (typeof e.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(e.code)) return e.code;
    e = e.cause as typeof e;
  }
  return undefined;
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3), or the SDKs' own `retry-after-ms`; never negative. */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms / 1000);
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = /^\s*-?[\d.]+\s*$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
