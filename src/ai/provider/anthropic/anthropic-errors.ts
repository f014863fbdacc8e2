import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import {
  abortError,
  type AiErrorType,
  AiProviderError,
  PROVIDER_FAULTS,
  type RequestFault,
  timeoutError,
} from '../ai-provider.error';
import type { AiFile, AiRequest } from '../ai-provider.port';
import { failureMessage, retryAfter, typeOfStatus, unreachable } from '../http/failures';

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

const SPEND_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_spend_limit_reached',
]);
/** Older answers carry no code. The text of a rate limit names tokens or requests per minute instead. */
const SPEND_TEXT = /spend|billing|credit balance|usage (limit|threshold)|monthly/i;

/** @param secret must never appear in a message */
export function toAiProviderError(error: unknown, secret: string | undefined, signal?: AbortSignal): AiProviderError {
  if (error instanceof AiProviderError) return error;
  if (signal?.aborted) return abortError(signal);
  if (error instanceof APIConnectionTimeoutError) return timeoutError(error);
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return unreachable(error);

  const status = error.status as number | undefined;
  const type = typeOf(error, status);
  const mayRetry = error.headers?.get('x-should-retry') !== 'false';
  return new AiProviderError(type, failureMessage(error.apiMessage, status, secret), {
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
    typeOfStatus(status) ?? typeNamed(error.type ?? '') ?? (status === undefined ? 'unavailable' : 'invalid_request');
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
