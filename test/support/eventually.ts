import { setTimeout as sleep } from 'node:timers/promises';

export interface Timeouts {
  /** How long the fact may take to come true, in milliseconds; 20 s by default. */
  timeoutMs?: number;
  /** The pause between two checks, in milliseconds; 25 by default. */
  everyMs?: number;
}

/**
 * Calls `look` until it no longer throws, and resolves with its result. Write the fact as an expectation: after the
 * timeout, the test fails with its last error.
 */
export async function eventually<T>(
  fact: string,
  look: () => T | Promise<T>,
  { timeoutMs = 20_000, everyMs = 25 }: Timeouts = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown;
  do {
    try {
      // A check that began before the deadline counts, however long it takes. None begins later.
      return await look();
    } catch (error) {
      failure = error;
    }
    await sleep(everyMs);
  } while (performance.now() < deadline);
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new Error(`Not within ${timeoutMs} ms: ${fact}\n${reason}`, { cause: failure });
}
