import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms` milliseconds, or less when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Aborted: the caller looks at the signal anyway.
  }
}
