import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { CoalescingTask } from '../coalescing-task';
import { closeInTime, signalBackend, type SignalQueueOptions } from './signal-backend';

/** Other instances are told at most this often of one kind: under load they are awake anyway. */
const ADD_EVERY_MS = 200;

/**
 * A queue of signals: there may be work of a kind. Work is rows; a signal only saves waiting for the sweep of their
 * owner, so that one that is lost (queue unavailable, process killed) costs a second and nothing else.
 */
export class SignalQueue extends Queue {
  /** Hears each signal of this process at once. */
  onSignal: (kind: string) => void = () => undefined;

  private readonly logger = new Logger(SignalQueue.name);
  private readonly additions = new Map<string, CoalescingTask>();
  private unavailable = false;

  constructor(name: string, { connections, ...options }: SignalQueueOptions) {
    super(name, options, signalBackend);
    connections?.add(() => this.close());
    this.on('error', (error) => this.failed(error));
  }

  /**
   * Wakes a worker of this process at once, and one of any instance through a job, should this process be busy or die.
   * Never throws, and costs next to nothing however often it is called.
   * @param kind names the job: letters, digits, `_`, `.` and `-`
   */
  signal(kind = this.name): void {
    this.onSignal(kind);
    let addition = this.additions.get(kind);
    if (!addition) {
      addition = new CoalescingTask(
        () => this.tell(kind),
        (error) => this.failed(error),
      );
      this.additions.set(kind, addition);
    }
    addition.request();
  }

  /** Warns once, until a job is added again. */
  failed(error: unknown): void {
    if (this.unavailable || this.closing) return;
    this.unavailable = true;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    this.logger.warn(`The queue ${this.name} is unavailable (${reason}): instances find each other's work by sweeping`);
  }

  override close(): Promise<void> {
    for (const addition of this.additions.values()) void addition.stop();
    return closeInTime(this, super.close());
  }

  private async tell(kind: string): Promise<void> {
    try {
      // The id keeps a second job from waiting beside it. It changes each second, because a job whose worker died stays
      // `active` for up to a minute, and would keep its id all that time.
      await this.add(kind, undefined, { jobId: `${kind}-${Math.floor(Date.now() / 1_000)}` });
      this.recovered();
    } finally {
      await sleep(ADD_EVERY_MS, undefined, { ref: false });
    }
  }

  private recovered(): void {
    if (!this.unavailable) return;
    this.unavailable = false;
    this.logger.log(`The queue ${this.name} has recovered`);
  }
}
