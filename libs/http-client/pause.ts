import { setTimeout as sleep } from 'node:timers/promises';

/** A shorter pause would be a hot loop when a platform asks for none (Telegram: `retry_after: 0`). */
const SHORTEST_MS = 1_000;
/** A timer of more than 2^31 ms ends at once. */
const LONGEST_MS = 86_400_000;

/** Limits a pause that a platform asks for to at least a second and at most a day, in milliseconds. */
export function clampPause(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS) : SHORTEST_MS;
}

/** Waits `ms` milliseconds, or less when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Aborted: the caller looks at the signal anyway.
  }
}
