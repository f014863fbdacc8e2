import { setTimeout as sleep } from 'node:timers/promises';

export interface Timeouts {
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
  { timeoutMs = 10_000, everyMs = 25 }: Timeouts = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown;
  do {
    try {
      // A check that began in time counts, however long it takes; none begins later.
      return await look();
    } catch (error) {
      failure = error;
    }
    await sleep(everyMs);
  } while (performance.now() < deadline);
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new Error(`Not within ${timeoutMs} ms: ${fact}\n${reason}`, { cause: failure });
}
