export interface Window {
  /** Requests per window; below 1 nothing is allowed. */
  readonly limit: number;
  /** Length of the window; a positive integer. */
  readonly seconds: number;
}

/** What a hit led to. `limit`, `remaining`, `resetAt` and `windowSeconds` describe the tighter window. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left after this one. */
  readonly remaining: number;
  /** Unix seconds from which at least one more request fits into the window than now; at most a window away, so it may be a fraction early. */
  readonly resetAt: number;
  readonly windowSeconds: number;
  /** Of a refused request only: after this many seconds every window has room again. At least 1, at most the longest window. */
  readonly retryAfterSeconds?: number;
}

export interface SlidingWindowLimiter {
  /** False while instances that should count together count each for themselves. */
  readonly healthy: boolean;

  /**
   * Counts one request in all windows, or, where one of them is full, in none. In no interval of a window's length, its
   * start left out, are more requests allowed than its limit. The same key should come with the same window lengths; limits may change.
   * Synchronous where nobody has to be asked.
   * @param windows at least one
   */
  hit(key: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision>;
}

/** The limiter this deployment counts with; the token under which Nest injects it. */
export abstract class RateLimiter implements SlidingWindowLimiter {
  abstract readonly healthy: boolean;
  abstract hit(key: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision>;
}
