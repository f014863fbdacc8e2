/** Called with the progress from 0 to 1, which never decreases. */
export type OnProgress = (share: number) => void;

/**
 * The share of a database that is copied, by the sizes of its tables on disk. The text of a table differs in size, so
 * the share is an estimate within a table and exact at its end.
 */
export class CopiedShare {
  private done = 0;
  private readonly total: number;

  /** @param sizes in bytes, by table */
  constructor(private readonly sizes: ReadonlyMap<string, number>) {
    this.total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** @param bytes size of the table's text so far */
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
