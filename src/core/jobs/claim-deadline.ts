import type { Clock } from '../clock/clock.service';

/** Shorter than what is left of any lease whose holder lives: that is extended long before it ends. */
const LATENESS_MS = 4_000;

/**
 * Until when a claim that is asked for now may be made; to be compared with `now()` in its statement. A database that hung
 * does what it was asked before when it goes on, although no process waits for it any more. Such a claim would take, for
 * no process, just what living processes hold whose leases ran out meanwhile: their records would not count, and what they had
 * sent would be sent again.
 */
export function claimDeadline(clock: Clock): Date {
  return new Date(clock.now() + LATENESS_MS);
}
