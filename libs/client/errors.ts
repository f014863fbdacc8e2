import { ERRORS, type ErrorCode, type ErrorDetails } from './contracts';

/**
 * The codes of the gateway; `UNKNOWN` for an answer of another server, for example a proxy; `CONNECTION_FAILED` and
 * `TIMEOUT` if there was no answer.
 */
export type GatewayErrorCode = ErrorCode | 'UNKNOWN' | 'CONNECTION_FAILED' | 'TIMEOUT';

interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails[ErrorCode] } | null;
  meta: { request_id: string };
}

/** The type of an error with a known code. */
export interface ErrorOf<C extends ErrorCode> {
  readonly code: C;
  readonly details: ErrorDetails[C];
}

type Facts = Pick<GatewayError, 'status' | 'code' | 'details' | 'requestId' | 'retryAfter'>;

/** A call failed. Its subclasses say how. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  /** HTTP status; 0 if there was no answer. An error in a stream has the status of its code. */
  readonly status: number;
  readonly code: GatewayErrorCode;
  /** Depends on the code: narrow it with {@link is}. */
  readonly details: ErrorDetails[ErrorCode];
  /** Quote it when you ask the gateway's operator for help. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the gateway said so. */
  readonly retryAfter: number | undefined;

  protected constructor(message: string, facts: Facts, options?: ErrorOptions) {
    super(message, options);
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }

  /** Whether the error has this code; its details are then typed. */
  is<C extends ErrorCode>(code: C): this is this & ErrorOf<C> {
    return this.code === code;
  }

  /**
   * @param body as parsed, from the gateway or another server
   * @internal
   */
  static of(status: number, body: unknown, headers?: Headers): GatewayError {
    const { error, meta } = (isObject(body) ? body : {}) as Partial<ErrorBody>;
    const isOurs = typeof error?.code === 'string';
    const code = isOurs ? error.code : 'UNKNOWN';
    return new (classOf(status, code))(isOurs ? error.message : unexpected(status, headers), {
      status,
      code,
      details: isOurs ? error.details : null,
      requestId: meta?.request_id ?? headers?.get('x-request-id') ?? undefined,
      retryAfter: secondsUntil(headers?.get('retry-after')),
    });
  }

  /** @internal */
  static inStream(body: unknown): GatewayError {
    const code = (body as Partial<ErrorBody>).error?.code;
    return GatewayError.of(code && Object.hasOwn(ERRORS, code) ? ERRORS[code].status : 500, body);
  }
}

/** The API key is missing, unknown, revoked or expired. */
export class GatewayAuthenticationError extends GatewayError {
  override readonly name = 'GatewayAuthenticationError';
  declare readonly code: 'INVALID_API_KEY' | 'API_KEY_EXPIRED';
}

/** The API key lacks a scope, or may not be used from this address. */
export class GatewayPermissionError extends GatewayError {
  override readonly name = 'GatewayPermissionError';
  declare readonly code: 'INSUFFICIENT_PERMISSIONS' | 'IP_NOT_ALLOWED';
}

/** The resource does not exist, or belongs to the other environment. */
export class GatewayNotFoundError extends GatewayError {
  override readonly name = 'GatewayNotFoundError';
  declare readonly code: 'RESOURCE_NOT_FOUND';
  declare readonly details: ErrorDetails['RESOURCE_NOT_FOUND'];
}

/** The request is malformed, or a parameter is. */
export class GatewayValidationError extends GatewayError {
  override readonly name = 'GatewayValidationError';
  declare readonly code: 'INVALID_REQUEST' | 'INVALID_PARAMETER' | 'MISSING_PARAMETER';
}

/** The platform is not connected: the same request may succeed later. */
export class GatewayPlatformError extends GatewayError {
  override readonly name = 'GatewayPlatformError';
  declare readonly code: 'PLATFORM_NOT_CONNECTED';
  declare readonly details: ErrorDetails['PLATFORM_NOT_CONNECTED'];
}

/** Too many requests, or a budget is spent. The gateway, or a proxy, did nothing. */
export class GatewayRateLimitError extends GatewayError {
  override readonly name = 'GatewayRateLimitError';
  declare readonly code: 'RATE_LIMIT_EXCEEDED' | 'UNKNOWN';
  declare readonly details: ErrorDetails['RATE_LIMIT_EXCEEDED'] | null;
}

/** The gateway failed, the AI provider did, or a proxy answered for the gateway. */
export class GatewayServerError extends GatewayError {
  override readonly name = 'GatewayServerError';
  declare readonly code: 'INTERNAL_ERROR' | 'AI_PROVIDER_ERROR' | 'UNKNOWN';
}

/** There was no answer, or it broke off: `cause` is what `fetch` threw. */
export class GatewayConnectionError extends GatewayError {
  override readonly name: string = 'GatewayConnectionError';
  declare readonly code: 'CONNECTION_FAILED' | 'TIMEOUT';
  declare readonly details: null;

  constructor(message: string, options?: ErrorOptions) {
    super(message, noAnswer('CONNECTION_FAILED'), options);
  }
}

/** There was no answer in time. The gateway may have done the request. */
export class GatewayTimeoutError extends GatewayConnectionError {
  override readonly name = 'GatewayTimeoutError';
  override readonly code = 'TIMEOUT';
}

const BY_STATUS: Readonly<Record<number, typeof GatewayError>> = {
  400: GatewayValidationError,
  401: GatewayAuthenticationError,
  403: GatewayPermissionError,
  404: GatewayNotFoundError,
};

/**
 * A 404 of another server, such as a proxy, does not mean that a resource is missing. An answer of another server gets a class
 * only if the class tells the caller what to do.
 */
function classOf(status: number, code: GatewayErrorCode): typeof GatewayError {
  if (status === 429) return GatewayRateLimitError;
  if (status >= 500) return GatewayServerError;
  if (code === 'UNKNOWN') return GatewayError;
  if (code === 'PLATFORM_NOT_CONNECTED') return GatewayPlatformError;
  return BY_STATUS[status] ?? GatewayError;
}

function noAnswer(code: GatewayErrorCode): Facts {
  return { status: 0, code, details: null, requestId: undefined, retryAfter: undefined };
}

function unexpected(status: number, headers: Headers | undefined): string {
  const location = status >= 300 && status < 400 ? headers?.get('location') : undefined;
  if (location) return `The response is a redirect to ${location}: check baseUrl`;
  return `The response (HTTP ${status}) is not from a messaging gateway: check baseUrl`;
}

/** `Retry-After` is a number of seconds or an HTTP date (RFC 9110, 10.2.3). */
function secondsUntil(retryAfter: string | null | undefined): number | undefined {
  if (!retryAfter) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
