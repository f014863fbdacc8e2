import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** How long the fact may take to come true, in milliseconds; 10 s by default. */
  timeoutMs?: number;
  /** Between two looks, in milliseconds; 25 by default. */
  everyMs?: number;
}

/**
 * Waits until `look` no longer throws, and resolves with what it returned. Write the fact as an expectation: when time is
 * up, its last failure is the test's.
 */
export async function eventually<T>(
  fact: string,
  look: () => T | Promise<T>,
  { timeoutMs = 10_000, everyMs = 25 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    // A look that began in time counts, however long it takes.
    const begunAt = performance.now();
    try {
      return await look();
    } catch (error) {
      if (begunAt < deadline) {
        await sleep(everyMs);
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Not within ${timeoutMs} ms: ${fact}\n${reason}`, { cause: error });
    }
  }
}
