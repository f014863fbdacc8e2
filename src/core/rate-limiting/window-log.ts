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

  constructor(seconds: number) {
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

  /** When the oldest bucket leaves a full window, in Unix milliseconds. Call it after `used`. */
  get freeAt(): number {
    return this.leavesAt(this.head);
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
