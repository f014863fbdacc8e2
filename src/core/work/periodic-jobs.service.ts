import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BatchRuns } from './batch-runs';

/** How many rows a periodic job changes in one statement: none holds its locks for long. */
export const PERIODIC_BATCH = 5_000;

/** The first run comes this soon after the start at the latest: a process that restarts daily still does hourly jobs. */
const FIRST_RUN_MS = 5_000;

/** Does one batch; resolves with true when there may be more to do now. */
type RunBatch = () => Promise<unknown>;

/** Work that any instance may do now and then, or several at once. */
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

  /** @param inMs when the first run comes, in milliseconds; the next ones come `everyMs` after the end of the one before */
  start(inMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.run().finally(() => this.start(this.everyMs)), inMs);
    this.timer.unref();
  }

  /** Starts no more batches; resolves when the present one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One run after the present one: batches until nothing is left to do. Never rejects. */
  run(): Promise<void> {
    this.running = this.running.then(() => this.runs.run(this.batch, () => this.stopped));
    return this.running;
  }
}

/** The one life cycle of all periodic work: jobs begin when the application is there and end before it shuts down. */
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
