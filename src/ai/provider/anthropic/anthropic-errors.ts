import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import {
  abortError,
  type AiErrorType,
  AiProviderError,
  PROVIDER_FAULTS,
  type RequestFault,
  timeoutError,
} from '../ai-provider.error';
import type { AiFile, AiRequest } from '../ai-provider.port';

/** @see https://platform.claude.com/docs/en/api/errors */
const BY_API_TYPE: Record<string, AiErrorType> = {
  invalid_request_error: 'invalid_request',
  authentication_error: 'authentication',
  billing_error: 'spend_limit',
  permission_error: 'permission_denied',
  not_found_error: 'model_not_found',
  request_too_large: 'request_too_large',
  rate_limit_error: 'rate_limited',
  timeout_error: 'timeout',
  overloaded_error: 'overloaded',
  api_error: 'unavailable',
};

const BY_STATUS: Record<number, AiErrorType> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'spend_limit',
  403: 'permission_denied',
  404: 'model_not_found',
  408: 'timeout',
  409: 'unavailable',
  413: 'request_too_large',
  429: 'rate_limited',
  504: 'timeout',
  529: 'overloaded',
};

const SPEND_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_spend_limit_reached',
]);
/** Older answers carry no code. The text of a rate limit names tokens or requests per minute instead. */
const SPEND_TEXT = /spend|billing|credit balance|usage (limit|threshold)|monthly/i;

/** @param secret must never appear in a message */
export function toAiProviderError(error: unknown, secret: string, signal?: AbortSignal): AiProviderError {
  if (error instanceof AiProviderError) return error;
  if (signal?.aborted) return abortError(signal);
  if (error instanceof APIConnectionTimeoutError) return timeoutError(error);
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return unreachable(error);

  const status = error.status as number | undefined;
  const type = typeOf(error, status);
  const mayRetry = error.headers?.get('x-should-retry') !== 'false';
  return new AiProviderError(type, messageOf(error, status, secret), {
    retryable: PROVIDER_FAULTS.has(type) && mayRetry,
    retryAfterSeconds: retryAfter(error.headers),
    status,
    cause: error,
  });
}

const TOO_LONG = /prompt is too long/i;
const ABOUT_FILES = /\b(?:image|document|pdf)s?\b/i;
/** The limit that the files of a request exceed together: none of them is unreadable by itself. */
const CONCERNS_ALL_FILES = /\bmany\b|\bpages\b/i;
const PLACE = /\bmessages\.(\d{1,6})\.content\.(\d{1,6})\b/;

/**
 * Finds out what the API refused: the length of a request, or its files.
 * @param fileAt the file at a place in the messages that were sent
 */
export function faultOf(
  { type, status, message }: AiProviderError,
  { messages }: AiRequest,
  fileAt: (message: number, block: number) => AiFile | undefined,
): RequestFault | undefined {
  if (type === 'request_too_large') return { of: 'length' };
  if (type !== 'invalid_request' || status !== 400) return undefined;
  if (TOO_LONG.test(message)) return { of: 'length' };
  const files = messages.flatMap((one) => one.files ?? []);
  if (files.length === 0 || !ABOUT_FILES.test(message)) return undefined;
  const kind = /\bimages?\b/i.test(message) ? 'image' : 'document';
  const ofKind = files.filter((file) => file.type === kind);
  if (ofKind.length === 1) return { of: 'files', files: ofKind };
  const place = CONCERNS_ALL_FILES.test(message) ? null : PLACE.exec(message);
  const named = place ? fileAt(Number(place[1]), Number(place[2])) : undefined;
  return { of: 'files', files: named ? [named] : [] };
}

function typeOf(error: APIError, status: number | undefined): AiErrorType {
  // The status comes first: a proxy's 503 may carry any body. A stream's `error` event has no status.
  const type =
    (status === undefined ? undefined : BY_STATUS[status]) ??
    (status !== undefined && status >= 500 ? 'unavailable' : undefined) ??
    typeNamed(error.type ?? '') ??
    (status === undefined ? 'unavailable' : 'invalid_request');
  return (type === 'rate_limited' || type === 'invalid_request') && isSpendLimit(error) ? 'spend_limit' : type;
}

/** Checks own properties only, because the server's word is external input: `constructor` is no type. */
function typeNamed(name: string): AiErrorType | undefined {
  return Object.hasOwn(BY_API_TYPE, name) ? BY_API_TYPE[name] : undefined;
}

/** The API answers 400 for a limit that the owner set, and 429 for the tier's monthly cap; both last longer than a minute. */
function isSpendLimit(error: APIError): boolean {
  return SPEND_CODES.has(error.errorCode ?? '') || SPEND_TEXT.test(error.apiMessage ?? '');
}

/** The API's own message, if any. A body in another form is a proxy's, and our clients must not see it. */
function messageOf(error: APIError, status: number | undefined, secret: string): string {
  const said: unknown = error.apiMessage;
  const origin = status === undefined ? 'The AI provider' : `The AI provider answered ${status}`;
  if (typeof said !== 'string' || said === '') return `${origin}${status === undefined ? ' failed' : ''}`;
  const clean = (secret ? said.replaceAll(secret, '[redacted]') : said)
    .replaceAll(/sk-ant-[\w-]+/g, '[redacted]')
    .replaceAll(/\/\/[^/\s@]+@/g, '//[redacted]@');
  return `${origin}: ${sanitizeText(clean, 500)}`;
}

/** A fixed message: `fetch` puts the whole URL, credentials included, into some of its messages. */
function unreachable(error: unknown): AiProviderError {
  if (error instanceof SyntaxError) {
    return new AiProviderError('unavailable', 'The AI provider returned a response that is not JSON', {
      retryable: true,
      cause: error,
    });
  }
  const code = networkCode(error);
  return new AiProviderError('unavailable', `The AI provider could not be reached${code ? ` (${code})` : ''}`, {
    retryable: true,
    cause: error,
  });
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

/** Seconds or an HTTP date (RFC 9110 §10.2.3), or the SDK's own `retry-after-ms`; never negative. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms / 1000);
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = /^\s*-?[\d.]+\s*$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
