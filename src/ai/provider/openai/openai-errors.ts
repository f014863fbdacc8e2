import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
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

/** Codes and types of OpenAI and of servers that imitate it: https://platform.openai.com/docs/guides/error-codes */
const BY_CODE: Readonly<Record<string, AiErrorType>> = {
  insufficient_quota: 'spend_limit',
  billing_hard_limit_reached: 'spend_limit',
  billing_not_active: 'spend_limit',
  content_filter: 'refusal',
  content_policy_violation: 'refusal',
  model_not_found: 'model_not_found',
  invalid_model: 'model_not_found',
  DeploymentNotFound: 'model_not_found',
  invalid_api_key: 'authentication',
  authentication_error: 'authentication',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  server_error: 'unavailable',
  overloaded_error: 'overloaded',
  invalid_request_error: 'invalid_request',
};
/** These say more than the status: OpenAI answers 429 for a spent quota, Azure 400 for its filter. */
const BEFORE_STATUS: ReadonlySet<AiErrorType> = new Set(['spend_limit', 'refusal', 'model_not_found']);

/** A rate limit's text names requests or tokens per minute instead. */
const SPEND_TEXT = /current quota|billing|credit balance|insufficient (?:funds|balance)/i;
/** The part of a message that is searched, in UTF-16 units: one of 16 MB took two seconds. */
const SEARCHED = 2_000;
const NO_MODEL = /\binvalid model\b|\bmodel\b[^.]{0,200}\b(?:not found|does not exist)\b/i;
const TOO_LONG = /context[_ -](?:length|size|window)|maximum context|prompt is too long|too many tokens/i;
const ABOUT_IMAGES = /\bimages?\b|\bimage_url\b|\bvision\b|\bmulti-?modal\b|\bmmproj\b/i;
/** The model reads no images at all, or the error is about their number: none of them is unreadable by itself. */
const ABOUT_ALL = /support|multi-?modal|mmproj|vision|at most|too many|only/i;
const PLACE = /\bmessages[.[]+(\d{1,6})\]?[.[]+content[.[]+(\d{1,6})\b/;

/** The body of an error in the forms that servers use: OpenAI's, FastAPI's (`detail`), and a bare message. */
export interface ErrorBody {
  message?: unknown;
  code?: unknown;
  type?: unknown;
}

/** @param body parsed JSON @returns undefined if it describes no error */
export function errorIn(body: unknown): ErrorBody | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, message, detail, code, type } = body as Record<string, unknown>;
  if (typeof error === 'string' && error !== '') return { message: error };
  if (typeof error === 'object' && error !== null) return error;
  const said = message ?? detail;
  if (said === undefined || said === null) return undefined;
  return { message: typeof said === 'string' ? said : JSON.stringify(said), code, type };
}

/** @param secret must never appear in a message */
export function toAiProviderError(error: unknown, secret: string | undefined, signal?: AbortSignal): AiProviderError {
  if (error instanceof AiProviderError) return error;
  if (signal?.aborted) return abortError(signal);
  if (error instanceof APIConnectionTimeoutError) return timeoutError(error);
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return unreachable(error);
  const mayRetry = error.headers?.get('x-should-retry') !== 'false';
  const body = (error.error ?? {}) as ErrorBody;
  const retryAfterSeconds = retryAfter(error.headers);
  return failureOf(body, error.status as number | undefined, secret, { mayRetry, retryAfterSeconds, cause: error });
}

/** @param status of the HTTP answer; undefined if it was a 200, or in a stream: the body may then have one as its code */
export function failureOf(
  body: ErrorBody,
  status: number | undefined,
  secret: string | undefined,
  how: { mayRetry?: boolean; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
): AiProviderError {
  const type = typeOf(body, status ?? statusIn(body));
  return new AiProviderError(type, failureMessage(body.message, status, secret), {
    retryable: PROVIDER_FAULTS.has(type) && how.mayRetry !== false,
    retryAfterSeconds: how.retryAfterSeconds,
    status,
    cause: how.cause,
  });
}

function statusIn({ code }: ErrorBody): number | undefined {
  const number = Number(code);
  return Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
}

function typeOf({ code, type, message }: ErrorBody, status: number | undefined): AiErrorType {
  const named = typeNamed(code) ?? typeNamed(type);
  if (named && BEFORE_STATUS.has(named)) return named;
  // A proxy's 503 may carry any body.
  const found = typeOfStatus(status) ?? named ?? (status === undefined ? 'unavailable' : 'invalid_request');
  const text = typeof message === 'string' ? message.slice(0, SEARCHED) : '';
  if (found === 'invalid_request' && NO_MODEL.test(text)) return 'model_not_found';
  return (found === 'rate_limited' || found === 'invalid_request') && SPEND_TEXT.test(text) ? 'spend_limit' : found;
}

/** Checks own properties only, because the server's word is external input: `constructor` is no type. */
function typeNamed(name: unknown): AiErrorType | undefined {
  return typeof name === 'string' && Object.hasOwn(BY_CODE, name) ? BY_CODE[name] : undefined;
}

/**
 * Finds out what the server refused: the length of a request, or its images.
 * @param fileAt the file at a place in the turns of the conversation
 */
export function faultOf(
  { type, status, message }: AiProviderError,
  { messages, system }: AiRequest,
  fileAt: (turn: number, block: number) => AiFile | undefined,
): RequestFault | undefined {
  if (type === 'request_too_large') return { of: 'length' };
  const isRefused = (type === 'invalid_request' && (status === 400 || status === 422)) || status === 500;
  if (!isRefused) return undefined;
  if (TOO_LONG.test(message)) return { of: 'length' };
  const images = messages.flatMap(({ files = [] }) => files).filter((file) => file.type === 'image');
  if (images.length === 0 || !ABOUT_IMAGES.test(message)) return undefined;
  if (ABOUT_ALL.test(message)) return { of: 'files', files: [] };
  if (images.length === 1) return { of: 'files', files: images };
  const place = PLACE.exec(message);
  // The instructions are the first message.
  const before = system.trim() === '' ? 0 : 1;
  const named = place ? fileAt(Number(place[1]) - before, Number(place[2])) : undefined;
  return { of: 'files', files: named ? [named] : [] };
}
