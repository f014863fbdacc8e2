/** Remembers ids for a time, in two sets: the older set is dropped as a whole. */
export class RecentIds {
  private current = new Set<string>();
  private previous = new Set<string>();
  private turnedAt = -Infinity;

  /** @param keepMs each id is remembered at least this long, and at most twice as long */
  constructor(private readonly keepMs: number) {}

  /** @returns whether the id is new */
  add(id: string): boolean {
    this.turn();
    if (this.has(id)) return false;
    this.current.add(id);
    return true;
  }

  has(id: string): boolean {
    return this.current.has(id) || this.previous.has(id);
  }

  private turn(): void {
    const now = performance.now();
    if (now - this.turnedAt < this.keepMs) return;
    this.turnedAt = now;
    this.previous = this.current;
    this.current = new Set();
  }
}
