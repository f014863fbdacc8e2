import type { Clock } from '../clock/clock.service';

/** Less than the minimum remaining time of a live lease, which its holder extends long before it ends. */
const LATENESS_MS = 4_000;

/**
 * The latest moment of a claim that is asked for now; its statement compares it with `now()`. A database that hung may run
 * stale claims on recovery. Without this limit, such a claim would take rows of living processes whose leases ran out during
 * the hang: their records would not count, and what they had sent would be sent again.
 */
export function claimDeadline(clock: Clock): Date {
  return new Date(clock.now() + LATENESS_MS);
}
