import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '#contracts';
import type { QueueOptions } from './queue.module-definition';
import { createWakeBackend, type WakeBackend, type WakeUp } from './wake-backend';

/** The queue could not be opened: how long until the next try. */
const REOPEN_MS = 5_000;
/** A queue that is away must not hold up the stop. */
const CLOSE_PATIENCE_MS = 2_000;

/**
 * Wake-ups between instances, as BullMQ jobs. A job is done as soon as one instance has been told; what it told is in
 * the rows. At most one job of a kind waits.
 */
export class WakeJobs {
  private readonly logger = new Logger(WakeJobs.name);
  private readonly instance = newUuid();
  private readonly closing = new AbortController();
  private readonly askedToClose = once(this.closing.signal, 'abort');
  private backend?: WakeBackend;
  private opened?: Promise<void>;
  private saidAway = false;

  /** @param onWake another instance asks to look for work of this kind */
  constructor(
    private readonly options: QueueOptions,
    private readonly onWake: (kind: string) => void,
  ) {}

  /** Connects in the background, until it succeeds. */
  open(): void {
    this.opened = this.keepOpening();
  }

  /** Tells another instance; does nothing while the queue is away. Never rejects. */
  async publish(kind: string): Promise<void> {
    if (!this.backend || this.closing.signal.aborted) return;
    try {
      // The id keeps a second one from waiting beside it.
      await this.backend.queue.add(
        kind,
        { from: this.instance },
        { jobId: kind, removeOnComplete: true, removeOnFail: true },
      );
      this.back();
    } catch (error) {
      this.away(error);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.opened;
    if (this.backend) await this.discard(this.backend);
  }

  private async keepOpening(): Promise<void> {
    while (!this.closing.signal.aborted && !(await this.tryToOpen())) {
      await sleep(REOPEN_MS, undefined, { signal: this.closing.signal }).catch(() => undefined); // asked to close
    }
  }

  private async tryToOpen(): Promise<boolean> {
    const backend = createWakeBackend(this.options, (job) => this.receive(job));
    for (const part of [backend.queue, backend.worker]) part.on('error', (error) => this.away(error));
    try {
      const ready = Promise.all([backend.queue.waitUntilReady(), backend.worker.waitUntilReady()]);
      await Promise.race([ready, this.askedToClose.then(() => Promise.reject(new Error('closing')))]);
      void backend.worker.run().catch((error: unknown) => this.away(error));
      this.backend = backend;
      this.back();
      return true;
    } catch (error) {
      // BullMQ remembers a failed first connection for good: it takes a new queue to try again.
      this.away(error);
      await this.discard(backend);
      return false;
    }
  }

  private async receive({ name, data }: { name: string; data: WakeUp }): Promise<void> {
    this.back();
    // This instance has looked by itself, when it asked.
    if (data.from !== this.instance) this.onWake(name);
  }

  private async discard({ queue, worker }: WakeBackend): Promise<void> {
    // Without a connection BullMQ would wait for one before it lets a worker go.
    const closed = Promise.allSettled([worker.close(this.saidAway), queue.close()]);
    await Promise.race([closed, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
    // A connection to a Redis that is away survives being closed, and would be tried for ever.
    for (const part of [worker, queue]) part.disconnect().catch(() => undefined);
  }

  private away(error: unknown): void {
    if (this.saidAway || this.closing.signal.aborted) return;
    this.saidAway = true;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    this.logger.warn(`The queue is away (${reason}): instances find each other's work by sweeping`);
  }

  private back(): void {
    if (!this.saidAway) return;
    this.saidAway = false;
    this.logger.log('The queue is back');
  }
}
