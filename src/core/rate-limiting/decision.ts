import type { LimitDecision, Window } from './sliding-window';

export interface WindowState {
  /** Requests in the window, the decided one included if it was allowed. */
  readonly used: number;
  /** Unix milliseconds: the oldest request leaves; of a full window that refuses, room for one more. */
  readonly freeAt: number;
}

/** The tighter window of an allowed request: the fewest remaining, of equals the shorter. */
export function allowed(windows: readonly Window[], states: readonly WindowState[], nowMs: number): LimitDecision {
  let tightest = 0;
  let fewest = Infinity;
  for (let index = 0; index < windows.length; index++) {
    const remaining = windows[index]!.limit - states[index]!.used;
    if (remaining > fewest) continue;
    if (remaining === fewest && windows[index]!.seconds >= windows[tightest]!.seconds) continue;
    fewest = remaining;
    tightest = index;
  }
  const { limit, seconds } = windows[tightest]!;
  const resetAt = resetOf(states[tightest]!, seconds, nowMs);
  return { allowed: true, limit, remaining: fewest, resetAt, windowSeconds: seconds };
}

/** Of the full windows, the one that stays full longest: `limit`, `resetAt` and `retryAfterSeconds` then agree. */
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
    // Longer than a window only after the clock was set back.
    retryAfterSeconds: Math.min(Math.max(1, Math.ceil((freeAt - nowMs) / 1_000)), seconds),
  };
}

/** The next whole second, unless that is more than a window away: nothing is counted for longer. */
function resetOf({ freeAt }: WindowState, seconds: number, nowMs: number): number {
  return Math.min(Math.ceil(freeAt / 1_000), Math.floor(nowMs / 1_000) + seconds);
}
