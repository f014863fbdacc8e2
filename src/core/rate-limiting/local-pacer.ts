import type { Pace } from './pace';
import { MAX_RETRY_AFTER_MS } from './pace.script';

/** Above this number, paces that were not used for a while are forgotten. */
const MOST_PACES = 10_000;

/** Milliseconds of the monotonic clock. */
interface Turns {
  /** The end of the turns that were taken: later ones follow it. */
  takenUntil: number;
  /** The last turn that a caller was told to ask for. */
  told: number;
}

/** Gives turns in this process, by the rules of `PACE_SCRIPT`. */
export class LocalPacer {
  private readonly turns = new Map<string, Turns>();

  constructor(private readonly clock: { now(): number } = performance) {}

  get size(): number {
    return this.turns.size;
  }

  turnIn(paces: readonly Pace[], longestMs: number): number {
    const now = this.clock.now();
    if (this.turns.size >= MOST_PACES) this.forgetUnused(now);
    let waitMs = 0;
    for (const pace of paces) {
      const turns = this.turnsOf(pace.key);
      const free = Math.max(turns.takenUntil, now) - (pace.burst - 1) * pace.intervalMs;
      if (free - now > longestMs) {
        turns.told = Math.min(Math.max(free, turns.told + pace.intervalMs), now + MAX_RETRY_AFTER_MS);
        return turns.told - now;
      }
      waitMs = Math.max(waitMs, free - now);
    }
    for (const { key, intervalMs } of paces) {
      const turns = this.turnsOf(key);
      turns.takenUntil = Math.max(turns.takenUntil, now) + intervalMs;
    }
    return waitMs;
  }

  private turnsOf(key: string): Turns {
    const known = this.turns.get(key) ?? { takenUntil: 0, told: 0 };
    this.turns.set(key, known);
    return known;
  }

  private forgetUnused(now: number): void {
    for (const [key, { takenUntil, told }] of this.turns) if (takenUntil <= now && told <= now) this.turns.delete(key);
  }
}
