/** How far something is: from 0 to 1, never less than before. */
export type OnProgress = (share: number) => void;

/**
 * How much of a database is copied, by the sizes of its tables on the disk. The text of a table is longer or shorter than
 * that: within a table the share is an estimate, at its end it is right.
 */
export class CopiedShare {
  private done = 0;
  private readonly total: number;

  /** @param sizes in bytes, by table */
  constructor(private readonly sizes: ReadonlyMap<string, number>) {
    this.total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** @param bytes of the table's text so far */
  within(table: string, bytes: number): number {
    return this.shareOf(this.done + Math.min(bytes, this.sizeOf(table)));
  }

  after(table: string): number {
    this.done += this.sizeOf(table);
    return this.shareOf(this.done);
  }

  private sizeOf(table: string): number {
    return this.sizes.get(table) ?? 0;
  }

  private shareOf(bytes: number): number {
    return this.total === 0 ? 1 : bytes / this.total;
  }
}
