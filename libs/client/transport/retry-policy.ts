import { GatewayConnectionError, GatewayError } from '../errors';

/** Upper bound of the first wait, in milliseconds; it doubles each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** Longest `Retry-After` that the client waits for: long enough for a limit per minute, not per hour. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/** Codes of a connection that was never made, so that the gateway did nothing: Node's, and those of undici, its `fetch`. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** A retry does not help with a bad certificate: Node's codes, and those of OpenSSL (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const PERMANENT =
  /CERT|SELF_SIGNED|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^ERR_TLS/;

/**
 * How long to wait before the client repeats a failed request, in milliseconds; undefined when it must not, or when a
 * retry cannot help.
 * @param repeatable whether the request is idempotent
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
  // Full jitter: clients that failed together do not retry together.
  const backoff = random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  const retryAfter = error instanceof GatewayError ? error.retryAfter : undefined;
  if (retryAfter === undefined) return backoff;
  if (retryAfter > LONGEST_RETRY_AFTER_SECONDS) return undefined;
  return retryAfter * 1_000 + backoff;
}

function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (error instanceof GatewayConnectionError) {
    const code = codeOf(error.cause);
    return !PERMANENT.test(code) && (repeatable || NEVER_SENT.has(code));
  }
  if (!(error instanceof GatewayError)) return false;
  // A limit refuses a request before the gateway does anything.
  if (error.status === 429) return true;
  // The gateway has already retried for as long as is reasonable, and repeats this answer for a day under the same
  // Idempotency-Key. Another call has another key.
  if (error.code === 'AI_PROVIDER_ERROR') return false;
  return error.status >= 500 && repeatable;
}

/** `fetch` rejects with a TypeError; its cause is the socket's error. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? '';
}
