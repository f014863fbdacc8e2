/** The key's limit with the fewest requests left, after this request. */
export interface RateLimit {
  /** Requests in a window. */
  limit: number;
  remaining: number;
  /** When the limit has room for another request. */
  resetAt: Date;
}

/** An answer without its body. */
export interface GatewayResponse {
  status: number;
  /** Quote it when you ask the gateway's operator for help. */
  requestId: string | undefined;
  /** Undefined where the key has no limit. */
  rateLimit: RateLimit | undefined;
  /** Whether this is the answer to an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
  headers: Headers;
}

/** The data of an answer with the answer itself. */
export interface WithResponse<T> {
  data: T;
  response: GatewayResponse;
}

/** A promise of the data of an answer. */
export interface GatewayPromise<T> extends Promise<T> {
  /** The data, and the request id and rate limit of its answer. It sends no further request. */
  withResponse(): Promise<WithResponse<T>>;
}

export function gatewayPromise<T>(answer: Promise<WithResponse<T>>): GatewayPromise<T> {
  const data = answer.then((answered) => answered.data);
  return Object.assign(data, {
    withResponse: () => {
      // The caller handles the failure of `answer`, which is the same.
      data.catch(() => undefined);
      return answer;
    },
  });
}

export function responseOf({ status, headers }: Response): GatewayResponse {
  return {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    rateLimit: rateLimitOf(headers),
    isReplayed: headers.get('idempotent-replayed') === 'true',
    headers,
  };
}

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const limit = headers.get('x-ratelimit-limit');
  if (limit === null) return undefined;
  const resetAt = new Date(Number(headers.get('x-ratelimit-reset')) * 1_000);
  return { limit: Number(limit), remaining: Number(headers.get('x-ratelimit-remaining')), resetAt };
}
