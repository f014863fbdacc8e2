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
  /** Unix seconds at which the window ends; at most a window away, so it may be a fraction of a second early. */
  readonly resetAt: number;
  readonly windowSeconds: number;
  /**
   * Only for a refused request: after this many seconds every window has room again. From 1 to the length of the longest
   * window.
   */
  readonly retryAfterSeconds?: number;
}

/** One window, as the throttler's storage reports it. */
interface WindowState {
  /** Requests in the window, including the current one and refused ones. */
  readonly totalHits: number;
  /** Seconds, with fractions, until the window ends. */
  readonly timeToExpire: number;
}

/**
 * Describes the window with the fewest requests left, and of those with equally few the one that ends last: a client with no
 * requests left waits until then, and must then not be refused by the other window.
 */
export function decide(windows: readonly Window[], states: readonly WindowState[], nowMs: number): LimitDecision {
  const rooms = windows.map((window, index) => {
    const { totalHits, timeToExpire } = states[index]!;
    return {
      ...window,
      left: window.limit - totalHits,
      remaining: Math.max(0, window.limit - totalHits),
      timeToExpire,
    };
  });
  const isRefused = rooms.some(({ left }) => left < 0);
  const tightest = rooms
    .filter(({ left }) => !isRefused || left < 0)
    .reduce((one, other) => {
      if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other;
      return other.timeToExpire > one.timeToExpire ? other : one;
    });
  const { limit, remaining, seconds, timeToExpire } = tightest;
  return {
    allowed: !isRefused,
    limit,
    remaining,
    resetAt: Math.min(Math.ceil(nowMs / 1_000 + timeToExpire), Math.floor(nowMs / 1_000) + seconds),
    windowSeconds: seconds,
    ...(isRefused && { retryAfterSeconds: Math.min(Math.max(1, Math.ceil(timeToExpire)), seconds) }),
  };
}
