import { repeat } from '../clock/repeat';

/**
 * A lease that this process holds: it extends the lease while the work runs, and learns when it is lost. A process that
 * takes the row raises its fence, and each record of an outcome names the fence, so a holder that lost its lease changes
 * nothing.
 */
export class Lease {
  private readonly controller = new AbortController();
  /** Stops extending the lease. */
  readonly end: () => void;

  /**
   * @param seconds how long the lease lasts unless it is extended, on PostgreSQL's clock
   * @param extend resolves with false once another process has taken the row
   */
  constructor(
    seconds: number,
    private readonly extend: () => Promise<boolean>,
  ) {
    this.end = repeat((seconds * 1_000) / 3, () => void this.renew());
  }

  /** Aborts when the lease is lost or the work must stop: nothing may be recorded after that. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Never rejects: while the database is unavailable the lease runs out, and the fence protects the next holder. */
  async renew(): Promise<void> {
    const isHeld = await this.extend().catch(() => true);
    if (!isHeld) this.abort(new Error('the lease was lost'));
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }
}
