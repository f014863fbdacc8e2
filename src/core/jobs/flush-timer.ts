/**
 * Runs a task some time after it was first asked for, together for all that asked meanwhile. Runs follow each other: there
 * are never two at once.
 */
export class FlushTimer {
  private timer?: NodeJS.Timeout;
  private last: Promise<void> = Promise.resolve();

  /** @param task must not reject */
  constructor(
    private readonly task: () => Promise<void>,
    private readonly delayMs: number,
  ) {}

  /** Costs a comparison while a run is awaited. Does not keep the process alive: what must not be lost asks for `now`. */
  soon(): void {
    this.timer ??= setTimeout(() => void this.now(), this.delayMs).unref();
  }

  /** Instead of the run that is awaited, if one is. Resolves when this run has ended, and so have those before it. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = this.last.then(() => this.task());
    return this.last;
  }
}
