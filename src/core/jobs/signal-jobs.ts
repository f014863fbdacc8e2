import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '#contracts';
import type { JobsModuleOptions } from './jobs.module-definition';
import { createSignalBackend, type SignalBackend, type Signal } from './signal-backend';

/** The queue could not be opened: how long until the next try. */
const REOPEN_MS = 5_000;
/** After an error, the worker asks again this much later. */
const REST_MS = 1_000;
/** A queue that is away must not hold up the stop. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Wake-ups between instances, as BullMQ jobs. A job is done as soon as one instance has been told; what it told is in
 * the rows. Of one kind, at most one job a second waits.
 */
export class SignalJobs {
  private readonly logger = new Logger(SignalJobs.name);
  private readonly instance = newUuid();
  private readonly closing = new AbortController();
  private readonly askedToClose = once(this.closing.signal, 'abort');
  private backend?: SignalBackend;
  private opened?: Promise<void>;
  private saidUnavailable = false;
  private resting = false;

  /** @param onWake another instance asks to look for work of this kind */
  constructor(
    private readonly options: JobsModuleOptions,
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
      // The id keeps a second one from waiting beside it. It changes each second, because a job whose worker died stays
      // `active` for up to a minute, and would keep its id all that time.
      const jobId = `${kind}-${Math.floor(Date.now() / 1_000)}`;
      await this.backend.queue.add(
        kind,
        { from: this.instance },
        { jobId, removeOnComplete: true, removeOnFail: true },
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
    const backend = createSignalBackend(this.options, (job) => this.receive(job));
    backend.queue.on('error', (error) => this.away(error));
    backend.worker.on('error', (error) => {
      this.away(error);
      void this.rest(backend.worker);
    });
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

  private async receive({ name, data }: { name: string; data: Signal }): Promise<void> {
    this.back();
    // This instance has looked by itself, when it asked.
    if (data.from !== this.instance) this.onWake(name);
  }

  /**
   * BullMQ waits after a refused connection, but asks again at once after any other error: hundreds of connections a second
   * to a PostgreSQL that is starting up (57P03), or to a Redis that has become read-only.
   */
  private async rest(worker: SignalBackend['worker']): Promise<void> {
    if (this.resting || this.closing.signal.aborted) return;
    this.resting = true;
    await worker.pause(true);
    await sleep(REST_MS, undefined, { signal: this.closing.signal }).catch(() => undefined); // asked to close
    this.resting = false;
    if (!this.closing.signal.aborted) await worker.resume();
  }

  private async discard({ queue, worker }: SignalBackend): Promise<void> {
    // Gracefully, BullMQ would wait for its connection first. A job that is cut off wakes somebody once more, later.
    const closed = Promise.allSettled([worker.close(true), queue.close()]);
    await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    // Closing leaves behind the worker's wait for a job, and connections that are tried for ever while Redis is away.
    for (const part of [worker, queue]) part.disconnect().catch(() => undefined);
  }

  private away(error: unknown): void {
    if (this.saidUnavailable || this.closing.signal.aborted) return;
    this.saidUnavailable = true;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    this.logger.warn(`The queue is away (${reason}): instances find each other's work by sweeping`);
  }

  private back(): void {
    if (!this.saidUnavailable) return;
    this.saidUnavailable = false;
    this.logger.log('The queue is back');
  }
}
