import { setImmediate as nextTick } from 'node:timers/promises';
import { runDetached } from '../observability/tracing/work-context';

/**
 * Runs a task when asked, never twice at once. A run belongs to none of those that asked for it. Asking costs a comparison: everything asked for before a run starts is
 * served by that run, and what is asked for during a run by exactly one more.
 */
export class CoalescingTask {
  private wanted = false;
  private running = false;
  private stopped = false;
  private idle: Promise<void> = Promise.resolve();

  /** @param onError is given what the task throws; the next run is not affected */
  constructor(
    private readonly task: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Starts a run in the next turn of the event loop, off the caller's path. */
  request(): void {
    if (this.wanted || this.stopped) return;
    this.wanted = true;
    if (this.running) return;
    this.running = true;
    this.idle = runDetached(() => this.run());
  }

  /** No more runs start; resolves when the present one has ended. */
  stop(): Promise<void> {
    this.stopped = true;
    return this.idle;
  }

  private async run(): Promise<void> {
    while (this.wanted) {
      await nextTick();
      if (this.stopped) break;
      this.wanted = false;
      try {
        await this.task();
      } catch (error) {
        this.onError(error);
      }
    }
    this.running = false;
  }
}
