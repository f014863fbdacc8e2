import { ERRORS, type ErrorCode, type ErrorDetails } from './contracts';

/** The codes of the gateway, and `UNKNOWN` for an answer of another server, for example a proxy. */
export type GatewayErrorCode = ErrorCode | 'UNKNOWN';

interface ErrorBody {
  error: { code: ErrorCode; message: string; details: ErrorDetails[ErrorCode] } | null;
  meta: { request_id: string };
}

/** The type of an error with a known code. */
export interface ErrorOf<C extends ErrorCode> {
  readonly code: C;
  readonly details: ErrorDetails[C];
}

/** The gateway answered, and the answer is an error. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  private constructor(
    /** HTTP status. An error in a stream has the status of its code. */
    readonly status: number,
    readonly code: GatewayErrorCode,
    message: string,
    /** Depends on the code: narrow it with {@link is}. */
    readonly details: ErrorDetails[ErrorCode],
    /** Give it to the gateway's operator when you ask for help. */
    readonly requestId: string | undefined,
    /** Seconds to wait before a retry, if the gateway said so. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
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
    return new GatewayError(
      status,
      isOurs ? error.code : 'UNKNOWN',
      isOurs ? error.message : unexpected(status, headers),
      isOurs ? error.details : null,
      meta?.request_id ?? headers?.get('x-request-id') ?? undefined,
      secondsUntil(headers?.get('retry-after')),
    );
  }

  /** @internal */
  static inStream(body: unknown): GatewayError {
    const code = (body as Partial<ErrorBody>).error?.code;
    return GatewayError.of(code && Object.hasOwn(ERRORS, code) ? ERRORS[code].status : 500, body);
  }
}

/** There was no answer, or it broke off: `cause` is what `fetch` threw. */
export class GatewayConnectionError extends Error {
  override readonly name: string = 'GatewayConnectionError';
}

/** There was no answer in time. The gateway may have done the request. */
export class GatewayTimeoutError extends GatewayConnectionError {
  override readonly name = 'GatewayTimeoutError';
}

function unexpected(status: number, headers: Headers | undefined): string {
  const location = status >= 300 && status < 400 ? headers?.get('location') : undefined;
  if (location) return `The answer is a redirection to ${location}: is baseUrl right?`;
  return `The answer (HTTP ${status}) is not that of a messaging gateway: is baseUrl right?`;
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
