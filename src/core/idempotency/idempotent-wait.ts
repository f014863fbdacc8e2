import { CoalescingTask } from '../jobs/coalescing-task';
import type { StoredRow } from './idempotency-rows';

/** The wait looks this often where it is not told, in milliseconds: the process of the first request may have died. */
const LOOK_MS = 2_000;

interface Waiter {
  fingerprint: Buffer;
  /** Undefined: the key is free, and this waiter is to claim it. */
  resolve: (stored: StoredRow | undefined) => void;
  reject: (error: unknown) => void;
}

/** Requests of this instance that wait for the outcome of one idempotency key: they share each look at its row. */
export class IdempotentWait {
  private waiters: Waiter[] = [];
  private readonly looks: CoalescingTask;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param read reads the row and has its end announced; undefined: there is none
   * @param onEnd is called when no request waits any more
   */
  constructor(
    read: () => Promise<StoredRow | undefined>,
    private readonly onEnd: () => void,
  ) {
    this.looks = new CoalescingTask(
      async () => this.settle(await read()),
      (error) => this.finish(this.waiters, (waiter) => waiter.reject(error)),
    );
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Looks at the row: at once, and never twice at the same time. */
  look(): void {
    this.looks.request();
  }

  /**
   * @param onGone takes what is called when the client of the request goes
   * @returns the row that answers the request; undefined if the request is to claim the key
   */
  join(fingerprint: Buffer, onGone: (gone: (error: Error) => void) => void): Promise<StoredRow | undefined> {
    const answer = new Promise<StoredRow | undefined>((resolve, reject) => {
      const waiter = { fingerprint, resolve, reject };
      this.waiters.push(waiter);
      onGone((error) => this.finish([waiter], () => reject(error)));
    });
    this.look();
    return answer;
  }

  private settle(stored: StoredRow | undefined): void {
    if (!stored || stored.lapsed) {
      // One of them: the others would claim in vain.
      this.finish(this.waiters.slice(0, 1), (waiter) => waiter.resolve(undefined));
      return;
    }
    const answered = this.waiters.filter(
      ({ fingerprint }) => stored.outcome || !stored.fingerprint.equals(fingerprint),
    );
    this.finish(answered, (waiter) => waiter.resolve(stored));
  }

  private finish(finished: readonly Waiter[], tell: (waiter: Waiter) => void): void {
    const told = new Set(finished);
    const before = this.waiters.length;
    this.waiters = this.waiters.filter((waiter) => !told.has(waiter));
    for (const waiter of told) tell(waiter);
    if (this.waiters.length > 0 || before === 0) return;
    clearInterval(this.timer);
    void this.looks.stop();
    this.onEnd();
  }
}
