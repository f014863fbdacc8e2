import { GatewayConnectionError, GatewayError } from '../errors';

/** Upper bound of the first wait, in milliseconds; it doubles each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A `Retry-After` beyond this is for the caller to wait out: a minute's limit is waited for, an hour's is not. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/** Codes of a connection that was never made, so that nothing can have been done: Node's, and those of undici, its `fetch`. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** A certificate is as bad the next time: Node's codes, and those of OpenSSL (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const HOPELESS =
  /CERT|SELF_SIGNED|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^ERR_TLS/;

/**
 * How long to wait before a failed request is made again, in milliseconds; undefined when it must not be, or when this
 * cannot help.
 * @param repeatable whether doing it twice is as good as once
 * @param attempt failed attempts so far, from 1
 * @param random 0 to 1
 */
export function retryDelay(
  error: unknown,
  repeatable: boolean,
  attempt: number,
  random = Math.random(),
): number | undefined {
  if (!mayRetry(error, repeatable)) return undefined;
  // Full jitter: clients that failed together do not come back together.
  const backoff = random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  const retryAfter = error instanceof GatewayError ? error.retryAfter : undefined;
  if (retryAfter === undefined) return backoff;
  if (retryAfter > LONGEST_RETRY_AFTER_SECONDS) return undefined;
  return retryAfter * 1_000 + backoff;
}

function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (error instanceof GatewayConnectionError) {
    const code = codeOf(error.cause);
    return !HOPELESS.test(code) && (repeatable || NEVER_SENT.has(code));
  }
  if (!(error instanceof GatewayError)) return false;
  // Whoever is refused by a limit has had nothing done.
  if (error.status === 429) return true;
  // The gateway has itself tried the provider for as long as is reasonable, and under the same Idempotency-Key it repeats
  // this answer for a day. Another call is another key.
  if (error.code === 'AI_PROVIDER_ERROR') return false;
  return error.status >= 500 && repeatable;
}

/** `fetch` rejects with a TypeError, whose cause is the socket's error. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? '';
}
