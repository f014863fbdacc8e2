import type { Pace } from './pace';

export interface Window {
  /** Requests per window; below 1, every request is refused. */
  readonly limit: number;
  /** Length of the window; a positive integer. */
  readonly seconds: number;
}

/** The decision on a hit. `limit`, `remaining`, `resetAt` and `windowSeconds` describe the tighter window. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left after this one. */
  readonly remaining: number;
  /**
   * Unix seconds from which at least one more request fits than now; at most a window away, so it may be a fraction of a
   * second early.
   */
  readonly resetAt: number;
  readonly windowSeconds: number;
  /**
   * Only for a refused request: after this many seconds every window has room again. From 1 to the length of the longest
   * window.
   */
  readonly retryAfterSeconds?: number;
}

/** A message that is counted together with its request: only if both are within their limits. */
export interface Companion {
  readonly key: string;
  readonly windows: readonly Window[];
}

export interface CountedCompanion {
  readonly decision: LimitDecision;
  /** No longer counts the message. Nothing waits for this. */
  giveBack(): void;
}

/** The decision on a request and, if that is allowed, on its companion. */
export interface JointDecision {
  readonly decision: LimitDecision;
  readonly companion?: CountedCompanion;
}

/** The limiter of this deployment, and the token under which Nest injects it. */
export abstract class RateLimiter {
  /** False while each instance counts alone, although a shared count is configured. */
  abstract readonly healthy: boolean;
  /**
   * Counts one request in all windows, or in none if one of them is full. It never allows more requests than the limit in
   * any interval of a window's length, without its start. Use the same window lengths for the same key; limits may change.
   * Synchronous unless it must ask Redis.
   * @param windows at least one
   */
  abstract hit(key: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision>;
  /**
   * Takes a turn in all paces if it comes within `longestMs`, or in none. Synchronous unless it must ask Redis.
   * @returns milliseconds until the turn; more than `longestMs`: it is not taken, ask again then
   */
  abstract turnIn(paces: readonly Pace[], longestMs: number): number | Promise<number>;
  /** Decides on a request and on its companion in one step. */
  abstract hitBoth(
    key: string,
    windows: readonly Window[],
    companion: Companion,
  ): JointDecision | Promise<JointDecision>;
}
