const BASE_MS = 1_000;
const CAP_MS = 30_000;

/**
 * The pause before the next attempt: doubling, capped at 30 s, with half of it random, so that instances and bots that
 * lost the same platform do not come back all at once. It never gives up.
 * @param failures failures in a row so far, from 1
 * @param random 0 to 1
 */
export function backoffMs(failures: number, random: number = Math.random()): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(ceiling * (0.5 + random / 2));
}
