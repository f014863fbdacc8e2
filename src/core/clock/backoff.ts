/** How pauses between attempts grow. */
export interface Backoff {
  /** The pause after the first failure, in milliseconds; it doubles from there. */
  readonly baseMs: number;
  /** The longest pause, in milliseconds. */
  readonly capMs: number;
}

/**
 * The pause before the next attempt: exponential, with half of it random, so that instances that failed together do not
 * retry together.
 * @param failures failures in a row so far, from 1
 * @param random 0 to 1
 */
export function backoffMs(failures: number, { baseMs, capMs }: Backoff, random: number = Math.random()): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}
