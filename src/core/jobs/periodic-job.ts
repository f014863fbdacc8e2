import type { Logger } from '@nestjs/common';

/** How many rows a sweep changes in one statement. */
export const PERIODIC_BATCH = 5_000;

/**
 * Work that is due now and then and may be done by any instance, or by several at once. The first turn comes soon after
 * the start: a process that is restarted daily still sweeps.
 */
export class PeriodicJob {
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  /**
   * @param batch changes up to PERIODIC_BATCH rows and resolves with whether there may be more
   * @param intervalMs between the end of one turn and the next
   */
  constructor(
    private readonly name: string,
    private readonly batch: () => Promise<boolean>,
    private readonly logger: Logger,
    private readonly intervalMs: number,
  ) {}

  start(firstTurnMs = 5_000): void {
    this.timer = setTimeout(
      () => void this.turn().finally(() => !this.stopped && this.start(this.intervalMs)),
      firstTurnMs,
    );
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One turn, until nothing is left to do. Never rejects. */
  turn(): Promise<void> {
    this.running = this.running.then(() => this.run());
    return this.running;
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.batch()));
    } catch (error) {
      this.logger.warn({ err: error }, `${this.name} failed; it is tried again`);
    }
  }
}
