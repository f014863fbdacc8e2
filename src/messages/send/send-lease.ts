import { SEND_LEASE_SECONDS } from './outbound.rows';

/**
 * The lease under which a process sends a message. A paused process may read the database's answer late, so the lease
 * counts from the moment of the query, by the monotonic clock.
 */
export class SendLease {
  private readonly lost = new AbortController();
  private heldUntil: number;
  private needsWriteMark = false;

  /**
   * @param mark asks the database for the lease, and records that a write begins
   * @param askedAt when this process asked for a lease that it got, by `performance.now()`
   */
  constructor(
    private readonly mark: () => Promise<boolean>,
    askedAt = -Infinity,
  ) {
    this.heldUntil = askedAt + SEND_LEASE_SECONDS * 1_000;
  }

  /** Aborts when another process has taken the message over. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** @returns whether this process held the message when the database answered; rejects if it did not answer */
  async renew(ask = this.mark): Promise<boolean> {
    const askedAt = performance.now();
    const isHeld = await ask();
    if (isHeld && ask === this.mark) this.needsWriteMark = false;
    if (isHeld) this.heldUntil = askedAt + SEND_LEASE_SECONDS * 1_000;
    else this.lost.abort();
    return isHeld;
  }

  /** Makes the next write ask the database for its mark again. */
  expire(): void {
    this.needsWriteMark = true;
  }

  /** Call it just before a write. Asks the database again when the last answer is too old. */
  async mayWrite(): Promise<boolean> {
    return !this.lost.signal.aborted && (this.isCurrent || ((await this.renew()) && this.isCurrent));
  }

  /** Whether the last answer is recent enough. Check it again at the write itself, because connecting takes time. */
  get isCurrent(): boolean {
    return !this.lost.signal.aborted && !this.needsWriteMark && performance.now() < this.heldUntil;
  }
}
