import type { LimitDecision, Window } from './sliding-window';

export interface WindowState {
  /** Requests in the window, including the current one if it is allowed. */
  readonly used: number;
  /** Unix milliseconds: when the oldest request leaves; for a full window, when it has room for one more. */
  readonly freeAt: number;
}

/**
 * Describes the tighter window of an allowed request: the window with the fewest requests left; if equal, the one that frees
 * last. A client with no requests left waits until the reset, and must then not be refused by the other window.
 */
export function allowed(windows: readonly Window[], states: readonly WindowState[], nowMs: number): LimitDecision {
  let tightest = 0;
  let fewest = Infinity;
  for (let index = 0; index < windows.length; index++) {
    const remaining = windows[index]!.limit - states[index]!.used;
    if (remaining > fewest) continue;
    if (remaining === fewest && states[index]!.freeAt <= states[tightest]!.freeAt) continue;
    fewest = remaining;
    tightest = index;
  }
  const { limit, seconds } = windows[tightest]!;
  const resetAt = resetOf(states[tightest]!, seconds, nowMs);
  return { allowed: true, limit, remaining: fewest, resetAt, windowSeconds: seconds };
}

/** Describes the full window that stays full longest, so that `limit`, `resetAt` and `retryAfterSeconds` agree. */
export function refused(windows: readonly Window[], states: readonly WindowState[], nowMs: number): LimitDecision {
  let tightest = -1;
  for (let index = 0; index < windows.length; index++) {
    if (states[index]!.used < windows[index]!.limit) continue;
    if (tightest < 0 || states[index]!.freeAt > states[tightest]!.freeAt) tightest = index;
  }
  const { limit, seconds } = windows[tightest]!;
  const { freeAt } = states[tightest]!;
  return {
    allowed: false,
    limit,
    remaining: 0,
    resetAt: resetOf(states[tightest]!, seconds, nowMs),
    windowSeconds: seconds,
    // The time exceeds a window only after the clock was set back.
    retryAfterSeconds: Math.min(Math.max(1, Math.ceil((freeAt - nowMs) / 1_000)), seconds),
  };
}

/** The next whole second, but at most one window from now: no request counts longer than a window. */
function resetOf({ freeAt }: WindowState, seconds: number, nowMs: number): number {
  return Math.min(Math.ceil(freeAt / 1_000), Math.floor(nowMs / 1_000) + seconds);
}
