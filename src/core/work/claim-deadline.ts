import type { Clock } from '../clock/clock.service';

/** Less than the minimum remaining time of a live lease, which its holder extends long before it ends. */
const LATENESS_MS = 4_000;

/**
 * The deadline of a claim that is sent now; its statement compares the deadline with `now()`. A database that hung may run
 * stale claims on recovery. Without the deadline, such a claim would take rows of live processes whose leases ran out during
 * the hang: their outcomes would not count, and their messages would be sent again.
 */
export function claimDeadline(clock: Clock): Date {
  return new Date(clock.now() + LATENESS_MS);
}
