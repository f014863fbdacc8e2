import { databaseErrorOf, isDataFault } from '../database/connections/data-fault';
import { runDetached } from '../observability/tracing/work-context';
import { isOwnFault } from './monitor/own-fault';

export interface BatcherOptions {
  /** How long the first item waits for others, in milliseconds; default: to the end of this turn of the event loop. */
  gatherMs?: number;
  /** Most items of one write; default: all that wait. */
  size?: number;
  /** Items of a failed write wait this long and are written again, in milliseconds; default: they fail. */
  retryMs?: number;
  /** Most items that wait; the oldest are dropped, `size` at once: to move the rest costs the same for one as for many. */
  capacity?: number;
  /** Gets the number of items that wait after a failed write. */
  onFailure?: (error: unknown, waiting: number) => void;
  onDropped?: (count: number) => void;
}

interface Waiting<T> {
  readonly item: T;
  readonly done?: () => void;
  readonly failed?: (error: unknown) => void;
}

/**
 * Writes the items of concurrent callers together: what comes while one write is under way goes with a later one. Each
 * caller of `add` waits for the commit of its own item; what is saved is a commit for each caller.
 */
export class Batcher<T> {
  private waiting: Waiting<T>[] = [];
  private timer?: NodeJS.Timeout;
  private turn?: NodeJS.Immediate;
  private running?: Promise<void>;
  private closed = false;

  /** @param write one statement or transaction: it writes all of the items or none */
  constructor(
    private readonly write: (items: T[]) => Promise<unknown>,
    private readonly options: BatcherOptions = {},
  ) {}

  /** Resolves once the item is committed; rejects with what the write rejected with. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => this.enqueue({ item, done, failed }));
  }

  /** Adds an item whose caller does not wait for it. */
  push(item: T): void {
    this.enqueue({ item });
  }

  /** Writes what waits now; resolves when it is written, or waits for the next try. */
  async flush(): Promise<void> {
    await this.running;
    await this.start();
  }

  /** From now on a failed write is not repeated: its items fail. */
  close(): void {
    this.closed = true;
    void this.flush();
  }

  private enqueue(entry: Waiting<T>): void {
    this.waiting.push(entry);
    this.shrink();
    if (this.running || this.timer || this.turn) return;
    const { gatherMs } = this.options;
    if (gatherMs === undefined) this.turn = setImmediate(() => void this.start());
    else this.startAfter(gatherMs);
  }

  private start(): Promise<void> {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
    this.timer = undefined;
    this.turn = undefined;
    this.running ??= this.run().finally(() => this.ended());
    return this.running;
  }

  private ended(): void {
    this.running = undefined;
    // Added by one whom the last write told: `run` no longer looked.
    if (this.waiting.length > 0 && !this.timer && !this.turn) void this.start();
  }

  private async run(): Promise<void> {
    const { size = Infinity, retryMs, gatherMs } = this.options;
    let due = this.waiting.length;
    while (due > 0) {
      const batch = this.waiting.splice(0, Math.min(size, due));
      const { left } = await this.writeBatch(batch);
      if (left.length > 0) {
        this.waiting = [...left, ...this.waiting];
        this.shrink();
        this.startAfter(retryMs);
        return;
      }
      // Some that were due may have been dropped meanwhile.
      due = Math.min(due - batch.length, this.waiting.length);
      // What came meanwhile waits for others in its turn, unless it fills a batch already.
      if (due === 0 && (gatherMs === undefined || this.closed || this.waiting.length >= size))
        due = this.waiting.length;
    }
    if (this.waiting.length > 0) this.startAfter(gatherMs);
  }

  /** A timer does not keep the process alive: what must not be lost is flushed at the end. */
  private startAfter(ms: number | undefined): void {
    this.timer = setTimeout(() => void this.start(), ms).unref();
  }

  /** @returns the items that are to be written again, and why */
  private async writeBatch(batch: Waiting<T>[]): Promise<{ left: Waiting<T>[]; error?: unknown }> {
    try {
      // A batch belongs to none of its callers.
      await runDetached(() => this.write(batch.map(({ item }) => item)));
      for (const { done } of batch) done?.();
      return { left: [] };
    } catch (error) {
      // One item that cannot be stored must not take the others with it. After any other failure the batch may have
      // been committed: only a caller whose write changes nothing the second time sets `retryMs`.
      if (batch.length > 1 && isOfOneItem(error)) return { left: await this.writeEach(batch) };
      const again = this.options.retryMs !== undefined && !this.closed && !isDataFault(error);
      this.options.onFailure?.(error, this.waiting.length + (again ? batch.length : 0));
      if (again) return { left: batch, error };
      for (const { failed } of batch) failed?.(error);
      return { left: [] };
    }
  }

  /** Goes past items that are refused for themselves: only a database that takes nothing keeps the others waiting. */
  private async writeEach(batch: readonly Waiting<T>[]): Promise<Waiting<T>[]> {
    const unwritten: Waiting<T>[] = [];
    for (const [index, entry] of batch.entries()) {
      const { left, error } = await this.writeBatch([entry]);
      unwritten.push(...left);
      if (left.length > 0 && !isOfOneItem(error)) return [...unwritten, ...batch.slice(index + 1)];
    }
    return unwritten;
  }

  private shrink(): void {
    const { capacity = Infinity, size = 1 } = this.options;
    const excess = this.waiting.length - capacity;
    if (excess <= 0) return;
    const dropped = this.waiting.splice(0, Math.max(excess, Math.min(size, capacity)));
    for (const { failed } of dropped) failed?.(new Error('too many items wait to be written'));
    this.options.onDropped?.(dropped.length);
  }
}

/** SQLSTATE of a statement that took longer than it may: perhaps one item waits for a lock. */
const CANCELED = '57014';

/** Whether the database refused a batch, perhaps for one of its items alone, and nothing of it took effect. */
function isOfOneItem(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  return refusal !== undefined && (isOwnFault(error) || refusal.code === CANCELED);
}
