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
  /**
   * The most items that wait. Above it the oldest are dropped, `size` at once: shifting the array costs the same for one as
   * for many.
   */
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

/** Items to retry. */
interface Outcome<T> {
  /** Not tried, or possibly committed: they stay in front. */
  rest: Waiting<T>[];
  /** Rejected individually. */
  refused: Waiting<T>[];
  error?: unknown;
}

/** After this many rejections in a row, the database probably rejects all items. */
const MOST_IN_A_ROW = 3;

/**
 * Writes the items of concurrent callers together: items that arrive during a write go with the next write. Each caller of
 * `add` waits until its own item is committed, but items share commits.
 */
export class Batcher<T> {
  private waiting: Waiting<T>[] = [];
  private timer?: NodeJS.Timeout;
  private turn?: NodeJS.Immediate;
  private running?: Promise<void>;
  private closed = false;
  private readonly capacity: number;

  /** @param write one statement or transaction: it writes all of the items or none */
  constructor(
    private readonly write: (items: T[]) => Promise<unknown>,
    private readonly options: BatcherOptions = {},
  ) {
    this.capacity = options.capacity ?? Infinity;
  }

  /** Resolves once the item is committed; rejects with the error of the write. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => this.enqueue({ item, done, failed }));
  }

  /** Adds an item whose caller does not wait for it. */
  push(item: T): void {
    this.enqueue({ item });
  }

  /** Writes the items that wait; resolves when they are written, or wait for a retry. */
  async flush(): Promise<void> {
    await this.running;
    await this.start();
  }

  /** From now on a failed write is not repeated: its items fail. Resolves when the items that wait are written, or have failed. */
  async close(): Promise<void> {
    this.closed = true;
    await this.flush();
  }

  private enqueue(entry: Waiting<T>): void {
    this.waiting.push(entry);
    if (this.waiting.length > this.capacity) this.shrink();
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
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      // A caller added an item after `run`'s last check.
      if (this.waiting.length > 0 && !this.timer && !this.turn) void this.start();
    });
    return this.running;
  }

  private async run(): Promise<void> {
    const { size = Infinity, retryMs, gatherMs, onFailure } = this.options;
    const refused: Waiting<T>[] = [];
    let due = this.waiting.length;
    while (due > 0) {
      const batch = this.waiting.splice(0, Math.min(size, due));
      const outcome = await this.writeBatch(batch);
      refused.push(...outcome.refused);
      if (outcome.rest.length > 0) this.waiting = [...outcome.rest, ...this.waiting];
      if (outcome.error !== undefined) onFailure?.(outcome.error, this.waiting.length + refused.length);
      if (outcome.rest.length > 0) return this.writeLater(refused, retryMs);
      // Some due items may have been dropped meanwhile.
      due = Math.min(due - batch.length, this.waiting.length);
      // Items that came meanwhile wait for others, unless they already fill a batch.
      if (due === 0 && (gatherMs === undefined || this.closed || this.waiting.length >= size))
        due = this.waiting.length;
    }
    if (refused.length > 0) this.writeLater(refused, retryMs);
    else if (this.waiting.length > 0) this.startAfter(gatherMs);
  }

  /** Rejected items go last, so that the others do not wait behind them. */
  private writeLater(refused: readonly Waiting<T>[], ms: number | undefined): void {
    this.waiting = [...this.waiting, ...refused];
    if (this.waiting.length > this.capacity) this.shrink();
    this.startAfter(ms);
  }

  /** A timer does not keep the process alive: at the end the owner flushes items that must not be lost. */
  private startAfter(ms: number | undefined): void {
    this.timer = setTimeout(() => void this.start(), ms).unref();
  }

  private async writeBatch(batch: Waiting<T>[]): Promise<Outcome<T>> {
    const error = await this.tryWrite(batch);
    if (error === undefined) return { rest: [], refused: [] };
    // An item that cannot be stored must not fail the other items. After any other failure the batch may have been
    // committed: only a caller whose write changes nothing the second time sets `retryMs`.
    if (batch.length > 1 && isOfOneItem(error)) return this.writeEach(batch);
    if (!this.isRetried(error)) return { ...failAll(batch, error), error };
    return isOfOneItem(error) ? { rest: [], refused: batch, error } : { rest: batch, refused: [], error };
  }

  /** Skips individually rejected items; stops if all are rejected. */
  private async writeEach(batch: readonly Waiting<T>[]): Promise<Outcome<T>> {
    const refused: Waiting<T>[] = [];
    let inARow = 0;
    let last: unknown;
    for (const [index, entry] of batch.entries()) {
      const error = await this.tryWrite([entry]);
      inARow = error === undefined || isDataFault(error) ? 0 : inARow + 1;
      if (error === undefined) continue;
      last = error;
      const behind = batch.slice(index + 1);
      const isRetried = this.isRetried(error);
      if (isRetried && !isOfOneItem(error)) return { rest: [entry, ...behind], refused, error };
      if (isRetried) refused.push(entry);
      else failAll([entry], error);
      // Without `retryMs` this is each item's only try.
      if (this.options.retryMs === undefined || (inARow < MOST_IN_A_ROW && !isCanceled(error))) continue;
      return isRetried ? { rest: behind, refused, error } : { ...failAll(behind, error), error };
    }
    return { rest: [], refused, error: last };
  }

  /** @returns the error if nothing was written, or undefined */
  private async tryWrite(batch: readonly Waiting<T>[]): Promise<unknown> {
    try {
      // The write belongs to no single caller's work.
      await runDetached(() => this.write(batch.map(({ item }) => item)));
    } catch (error) {
      return error ?? new Error('The write failed');
    }
    for (const { done } of batch) done?.();
    return undefined;
  }

  private isRetried(error: unknown): boolean {
    return this.options.retryMs !== undefined && !this.closed && !isDataFault(error);
  }

  private shrink(): void {
    const { capacity, options } = this;
    const dropped = this.waiting.splice(
      0,
      Math.max(this.waiting.length - capacity, Math.min(options.size ?? 1, capacity)),
    );
    for (const { failed } of dropped) failed?.(new Error('too many items wait to be written'));
    this.options.onDropped?.(dropped.length);
  }
}

/** SQLSTATE of a statement that exceeded its time limit: perhaps one item waits for a lock. */
const CANCELED = '57014';

/** Whether the database refused a batch without effect, perhaps because of a single item. */
function isOfOneItem(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  return refusal !== undefined && (isOwnFault(error) || isCanceled(error));
}

function isCanceled(error: unknown): boolean {
  return databaseErrorOf(error)?.code === CANCELED;
}

function failAll<T>(batch: readonly Waiting<T>[], error: unknown): Pick<Outcome<T>, 'rest' | 'refused'> {
  for (const { failed } of batch) failed?.(error);
  return { rest: [], refused: [] };
}
