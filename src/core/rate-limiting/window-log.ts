const BUCKETS = 60;
/** Dropped entries stay at the front until there are this many, so that not every drop moves the array. */
const COMPACT_AT = 64;

/**
 * The requests of one key in one window: a queue of used buckets, each with its newest request (Unix ms) and the running
 * total up to and including it. The number of requests in the window is the difference of two totals. A request stays
 * counted until its bucket's newest request leaves the window: this bounds memory, and the limit is never exceeded.
 */
export class WindowLog {
  private readonly windowMs: number;
  private readonly bucketMs: number;
  private readonly newest: number[] = [];
  private readonly totals: number[] = [];
  private head = 0;
  private total = 0;
  private totalLeft = 0;

  constructor(readonly seconds: number) {
    this.windowMs = seconds * 1_000;
    this.bucketMs = Math.floor(this.windowMs / BUCKETS);
  }

  /** Requests in the window that ends now. */
  used(nowMs: number): number {
    while (this.head < this.newest.length && this.leavesAt(this.head) <= nowMs) {
      this.totalLeft = this.totals[this.head]!;
      this.head++;
    }
    if (this.head >= COMPACT_AT && this.head * 2 >= this.newest.length) this.compact();
    return this.total - this.totalLeft;
  }

  record(nowMs: number): void {
    const last = this.newest.length - 1;
    // After the clock was set back, requests count in the newest bucket.
    const newest = last >= this.head ? Math.max(this.newest[last]!, nowMs) : nowMs;
    this.total++;
    if (last >= this.head && this.bucketOf(this.newest[last]!) === this.bucketOf(newest)) {
      this.newest[last] = newest;
      this.totals[last] = this.total;
    } else {
      this.newest.push(newest);
      this.totals.push(this.total);
    }
  }

  /** `freeAt`: when there is room for one more. Call it after `used`. */
  refusedState(limit: number, nowMs: number): { used: number; freeAt: number } {
    const used = this.total - this.totalLeft;
    if (limit < 1) return { used, freeAt: nowMs + this.windowMs };
    // After the limit was lowered, more than the oldest bucket must leave.
    let index = this.head;
    while (index < this.newest.length && this.total - this.totals[index]! >= limit) index++;
    return { used, freeAt: index < this.newest.length ? this.leavesAt(index) : nowMs };
  }

  private bucketOf(timeMs: number): number {
    return Math.floor(timeMs / this.bucketMs);
  }

  private leavesAt(index: number): number {
    return this.newest[index]! + this.windowMs;
  }

  private compact(): void {
    this.newest.splice(0, this.head);
    this.totals.splice(0, this.head);
    this.head = 0;
  }
}
