import type { Logger } from '@nestjs/common';

/** Runs the batches of one repeated task. In an outage a task may fail every second, so the log warns only once. */
export class BatchRuns {
  private failing = false;

  /** @param name begins the log line of a failure */
  constructor(
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Runs batches until nothing is left to do. Never rejects.
   * @param batch resolves with true when there may be more to do now
   * @param isOver is called before each batch; true ends the run
   */
  async run(batch: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
    try {
      while (!isOver() && (await batch()) === true);
      this.failing = false;
    } catch (err) {
      if (this.failing) this.logger.debug({ err }, `${this.name} failed again`);
      else this.logger.warn({ err }, `${this.name} failed and will be retried`);
      this.failing = true;
    }
  }
}

/**
 * Runs batches until one is not full.
 * @param signal aborts between two batches
 * @param batch resolves with how many rows it changed
 */
export async function inBatches(size: number, signal: AbortSignal, batch: () => Promise<number>): Promise<void> {
  do signal.throwIfAborted();
  while ((await batch()) === size);
}
