import { isDataFault } from '../database/connections/data-fault';

interface Waiting<T> {
  readonly item: T;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes from concurrent callers, together: what comes while one write is under way goes with the next. Each caller
 * still waits for the commit of its own; what is saved is a commit per caller, and waiting for each other's row locks.
 */
export class Batcher<T> {
  private waiting: Waiting<T>[] = [];
  private running = false;

  /** @param write one statement or transaction: all of the items or none */
  constructor(private readonly write: (items: readonly T[]) => Promise<unknown>) {}

  /** Resolves once the item is committed; rejects with what the write rejected with. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.settle(batch);
    }
    this.running = false;
  }

  private async settle(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.write(batch.map(({ item }) => item));
      for (const { done } of batch) done();
    } catch (error) {
      // One value that cannot be stored must not take the others with it. After any other failure nobody knows whether
      // the batch was committed: writing it again might count twice.
      if (batch.length > 1 && isDataFault(error)) {
        for (const one of batch) await this.settle([one]);
      } else {
        for (const { failed } of batch) failed(error);
      }
    }
  }
}
