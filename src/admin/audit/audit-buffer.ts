/** What is to be written, oldest first, and no more of it than memory is meant to hold. */
export class AuditBuffer<Row> {
  private rows: Row[] = [];

  /**
   * @param capacity rows, those taken and not put back left out
   * @param chunk rows dropped at once: moving what is left costs the same for one as for many
   * @param onDropped told how many of the oldest were dropped
   */
  constructor(
    private readonly capacity: number,
    private readonly chunk: number,
    private readonly onDropped: (count: number) => void,
  ) {}

  get size(): number {
    return this.rows.length;
  }

  add(row: Row): void {
    this.rows.push(row);
    this.shrink();
  }

  /** Hands out the oldest. Rows that come meanwhile push none of these out. */
  take(count: number): Row[] {
    return this.rows.splice(0, count);
  }

  /** What was taken last could not be written. */
  putBack(rows: readonly Row[]): void {
    this.rows = [...rows, ...this.rows];
    this.shrink();
  }

  private shrink(): void {
    const excess = this.rows.length - this.capacity;
    if (excess <= 0) return;
    const { length } = this.rows.splice(0, Math.max(excess, Math.min(this.chunk, this.capacity)));
    this.onDropped(length);
  }
}
