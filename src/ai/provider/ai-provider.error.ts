import type { AiFile, AiTokens } from './ai-provider.port';

export type AiErrorType =
  /** 429: too many requests or tokens for now. */
  | 'rate_limited'
  /** 529: the provider has no capacity for anyone. */
  | 'overloaded'
  | 'timeout'
  /** 5xx, a network error, or a malformed answer. */
  | 'unavailable'
  /** 400: the request itself is wrong. */
  | 'invalid_request'
  | 'request_too_large'
  | 'model_not_found'
  | 'authentication'
  | 'permission_denied'
  /** A budget or credit is used up: waiting does not help. */
  | 'spend_limit'
  /** The answer has no text. */
  | 'empty_response'
  /** The model declines to answer. The provider bills its tokens. */
  | 'refusal'
  | 'not_configured'
  /** The caller aborted. */
  | 'aborted';

/** Faults of the provider, not of the request. */
export const PROVIDER_FAULTS: ReadonlySet<AiErrorType> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'unavailable',
]);

/** The part of a request that the provider refuses: the request may succeed without it. */
export type RequestFault =
  | { of: 'length' }
  /** `files`: those that the provider names, perhaps none. */
  | { of: 'files'; files: readonly AiFile[] };

export interface AiErrorOptions {
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** The pause that the provider asked for, in seconds (fractions occur). */
  retryAfterSeconds?: number;
  /** HTTP status, if there was one. */
  status?: number;
  /** Tokens that the provider bills although there is no answer. */
  tokens?: AiTokens;
  fault?: RequestFault | undefined;
  cause?: unknown;
}

/** `message` is fit for API clients: no key, no URL, no body of unknown origin. */
export class AiProviderError extends Error {
  override readonly name = 'AiProviderError';
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;
  readonly tokens: AiTokens | undefined;
  readonly fault: RequestFault | undefined;

  constructor(
    readonly type: AiErrorType,
    message: string,
    { retryable, retryAfterSeconds, status, tokens, fault, cause }: AiErrorOptions,
  ) {
    super(message, { cause });
    this.retryable = retryable;
    this.retryAfterSeconds = retryAfterSeconds;
    this.status = status;
    this.tokens = tokens;
    this.fault = fault;
  }
}

/** The error for an aborted signal: a retry may help after a deadline (`TimeoutError`), never after the caller's abort. */
export function abortError(signal: AbortSignal): AiProviderError {
  const reason: unknown = signal.reason;
  if (reason instanceof AiProviderError) return reason;
  // By name: AbortSignal.timeout's DOMException may come from another realm.
  if ((reason as Partial<Error> | undefined)?.name === 'TimeoutError') return timeoutError(reason);
  return new AiProviderError('aborted', 'The request was aborted', { retryable: false, cause: reason });
}

/** The same failure, with the tokens that it used. */
export function afterSpending(tokens: AiTokens, error: AiProviderError): AiProviderError {
  const { type, message, retryable, retryAfterSeconds, status, cause } = error;
  return new AiProviderError(type, message, { retryable, retryAfterSeconds, status, tokens, cause });
}

export function timeoutError(cause?: unknown): AiProviderError {
  return new AiProviderError('timeout', 'The AI provider did not answer in time', { retryable: true, cause });
}
