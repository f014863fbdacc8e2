import { randomUUID } from 'node:crypto';
import { WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import type { Environment } from '#contracts';
import { within } from '../clock/within';
import { Batcher } from './batcher';
import { runIn } from '../observability/tracing/work-context';
import { RETRY_MS } from './queue-server';
import type { QueueHealth } from './queue-health.service';
import type { KeyedWork } from './work-kind';
import { WorkPlaces, type WorkPlace } from './work-places';

/** How long BullMQ may take to record the end of the last jobs and to close, in milliseconds. */
const END_TIMEOUT_MS = 2_000;

/**
 * Each sweep offers this part of the keys that wait here to other instances, which may have room. A job for each of them every
 * second would delay the other queues.
 */
const OFFERED = 0.1;

/** Options of every worker. `onApplicationBootstrap` starts it, when all kinds are registered. */
export const WORKER_OPTIONS = {
  autorun: false,
  runRetryDelay: RETRY_MS,
  // An idle worker waits this long for a job, in seconds; a new job wakes it.
  drainDelay: 60,
  // The sweep takes up keys whose process died; the stall check only tidies up the job that was left.
  stalledInterval: 600_000,
};

/** A job: something of this key is due. */
export interface KeyJob {
  key: string;
}

interface Wake {
  key: string;
  delayMs: number;
}

/**
 * The work of one kind in one environment. Its queue holds at most one waiting job per key; BullMQ decides when, where and
 * how many jobs run. The rows decide what there is to do: a job that is lost or comes twice, or an unavailable server, costs
 * a second, because the sweep finds the rows.
 */
export abstract class WorkProcessor extends WorkerHost implements OnApplicationBootstrap {
  private readonly logger = new Logger('Work');
  /** Adds jobs of keys that are due now in one batch; a key that is named several times becomes one job. */
  private readonly wakes = new Batcher<Wake>((wakes) => this.addJobs(wakes));
  private work?: KeyedWork;
  private places?: WorkPlaces;
  private running = 0;
  private swept: ReadonlySet<string> = new Set();
  private started = false;
  private stopping = false;

  protected constructor(
    private readonly queue: Queue<KeyJob>,
    private readonly health: QueueHealth,
    readonly kind: string,
    readonly environment: Environment,
  ) {
    super();
    queue.on('error', (error) => this.health.failed(error));
  }

  /** @param work undefined if the application does not do this kind */
  begin(work: KeyedWork): void {
    this.work = work;
    this.places = new WorkPlaces(work.concurrency);
  }

  onApplicationBootstrap(): void {
    const { work, worker } = this;
    if (!work) return;
    this.started = true;
    worker.concurrency = work.concurrency;
    worker.on('error', (error) => this.rest(error));
    worker.run().catch((error: unknown) => this.rest(error));
  }

  /** Adds a job for a key, unless one waits. Never throws, and is cheap however often it is called. */
  wake(key: string, delayMs = 0): void {
    if (!this.stopping) this.wakes.push({ key, delayMs });
  }

  async process(job: Job<KeyJob>): Promise<void> {
    // Rows that become due from now on get a job of their own: this job may already have read the rows.
    await job.removeDeduplicationKey();
    await this.run(job.data.key);
  }

  /**
   * Adds jobs for keys that are due and that no instance works on. A key that was also due in the last sweep is begun here,
   * even if BullMQ has a job for it: the job's process may be dead, or the queue unavailable. A key whose run waits here for room needs neither.
   */
  sweep(keys: readonly string[]): void {
    const isWaiting = (key: string) => this.work?.isWaiting?.(key, this.environment) ?? false;
    const again = keys.filter((key) => this.swept.has(key) && !isWaiting(key));
    this.swept = new Set(keys);
    for (const key of keys) if (!isWaiting(key) || Math.random() < OFFERED) this.wake(key);
    for (const key of again) this.runInProcess(key);
  }

  /** Starts no new work. Resolves when the current work has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.started) {
      const paused = this.worker.pause();
      await this.work?.stop();
      await within(END_TIMEOUT_MS, paused).catch(() => undefined);
      // Nest closes the worker and the queue once more, and would wait for a server that hangs.
      await within(END_TIMEOUT_MS, this.worker.close(true)).catch(() => undefined);
    }
    await within(END_TIMEOUT_MS, this.queue.getBackend().close(true)).catch(() => undefined);
  }

  /** Resolves when the run has ended or left its place: the lease of its row then holds it, not the job. */
  private async run(key: string): Promise<void> {
    const { work, places } = this;
    if (!work || !places || this.stopping) return;
    this.running += 1;
    let isFree = false;
    await new Promise<void>((resolve) => {
      const free = () => {
        if (!isFree) this.running -= 1;
        isFree = true;
        resolve();
      };
      void places.run((place) => this.runInPlace(key, work, place), free);
    });
  }

  private async runInPlace(key: string, work: KeyedWork, place: WorkPlace): Promise<void> {
    const { environment } = this;
    if (this.stopping) return;
    try {
      const nextMs = await runIn({ ids: {}, environment }, () => work.process(key, environment, place));
      if (nextMs !== undefined) this.wake(key, nextMs);
    } catch (err) {
      this.logger.debug({ err }, `${this.kind} of ${key} could not be claimed; the sweep will find it`);
    }
  }

  private runInProcess(key: string): void {
    if (!this.started || this.stopping || this.running >= this.work!.concurrency) return;
    // The job that holds the key may never end.
    this.queue.removeDeduplicationKey(key).catch(() => undefined);
    void this.run(key);
  }

  /** A delayed job is replaced by one that is due earlier. */
  private async addJobs(wakes: readonly Wake[]): Promise<void> {
    const earliest = new Map<string, number>();
    for (const { key, delayMs } of wakes) earliest.set(key, Math.min(delayMs, earliest.get(key) ?? Infinity));
    const jobs = [...earliest].map(([key, delayMs]) => ({
      name: this.kind,
      data: { key },
      opts: {
        jobId: randomUUID(),
        delay: Math.ceil(delayMs),
        deduplication: { id: key, replace: true },
      },
    }));
    try {
      await this.queue.addBulk(jobs);
      this.health.recovered();
    } catch (error) {
      this.health.failed(error);
      for (const [key, delayMs] of earliest) if (delayMs === 0) this.runInProcess(key);
    }
  }

  /**
   * BullMQ waits after a refused connection, but retries at once after any other error: hundreds of connections a second to
   * a PostgreSQL that is starting up (57P03), or of commands to a Redis that has become read-only.
   */
  private rest(error: unknown): void {
    const { worker } = this;
    this.logger.debug({ err: error }, `The worker of ${this.queue.name} is paused`);
    if (worker.isPaused() || worker.closing) return;
    void worker.pause(true);
    setTimeout(() => {
      if (!this.stopping) void worker.resume();
    }, RETRY_MS).unref();
  }
}
