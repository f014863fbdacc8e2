/** The maximum delay of a retry, in milliseconds: retries of one slot are claimed together. */
const SLOT_MS = 50;
/** Later retries wait for the one-second sweep. This also bounds the number of timers. */
const HORIZON_MS = 60_000;

/**
 * Rings when retries recorded by this process become due, instead of up to a sweep later. What it is given are durations
 * from the moment of recording: no clock of this machine is compared with PostgreSQL's.
 */
export class RetryAlarm {
  private readonly slots = new Map<number, NodeJS.Timeout>();

  constructor(private readonly ring: () => void) {}

  /** Rings that many milliseconds from now, or within a slot after; once for all who asked for the same slot. */
  after(ms: number): void {
    if (ms > HORIZON_MS) return;
    const now = performance.now();
    const slot = Math.floor((now + ms) / SLOT_MS) + 1;
    if (this.slots.has(slot)) return;
    const timer = setTimeout(
      () => {
        this.slots.delete(slot);
        this.ring();
      },
      slot * SLOT_MS - now,
    );
    this.slots.set(slot, timer);
  }

  stop(): void {
    for (const timer of this.slots.values()) clearTimeout(timer);
    this.slots.clear();
  }
}
