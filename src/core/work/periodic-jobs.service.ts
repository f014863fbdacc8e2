import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BatchRuns } from './batch-runs';

/** Rows that a periodic job changes in one statement, so that it holds its locks briefly. */
export const PERIODIC_BATCH = 5_000;

/**
 * The first run begins at most this long after the start, in milliseconds: a process that restarts daily still runs hourly
 * jobs.
 */
const FIRST_RUN_MS = 5_000;

/** Does one batch; resolves with true if there may be more to do now. */
type RunBatch = () => Promise<unknown>;

/** A periodic job that any instance may run, or several at once. */
export class PeriodicJob {
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly runs: BatchRuns;

  constructor(
    name: string,
    private readonly everyMs: number,
    private readonly batch: RunBatch,
    logger: Logger,
  ) {
    this.runs = new BatchRuns(name, logger);
  }

  /**
   * @param inMs when the first run begins, in milliseconds; each later run begins `everyMs` after the end of the previous
   *   run
   */
  start(inMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.run().finally(() => this.start(this.everyMs)), inMs);
    this.timer.unref();
  }

  /** Starts no more batches; resolves when the current batch has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Starts a run after the current one: batches until nothing is left to do. Never rejects. */
  run(): Promise<void> {
    this.running = this.running.then(() => this.runs.run(this.batch, () => this.stopped));
    return this.running;
  }
}

/** The common life cycle of periodic jobs: they begin when the application has started, and end before it shuts down. */
@Injectable()
export class PeriodicJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(PeriodicJobs.name);
  private readonly jobs: { job: PeriodicJob; firstMs: number }[] = [];

  /**
   * Call it while modules initialise.
   * @param name begins the log line of a failure: “The deletion of old events”
   * @param everyMs from the end of one run to the next, in milliseconds
   */
  every(name: string, everyMs: number, batch: RunBatch, firstMs = Math.min(everyMs, FIRST_RUN_MS)): PeriodicJob {
    const job = new PeriodicJob(name, everyMs, batch, this.logger);
    this.jobs.push({ job, firstMs });
    return job;
  }

  onApplicationBootstrap(): void {
    for (const { job, firstMs } of this.jobs) job.start(firstMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map(({ job }) => job.stop()));
  }
}
