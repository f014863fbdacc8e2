import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../clock/clock.service';
import { Database } from '../../database/database.service';
import { Outage } from '../../database/outage.service';
import { BatchRuns } from '../batch-runs';
import { claimDeadline } from '../claim-deadline';
import { Lease } from '../lease';
import { ADD_TIMERS, CLAIM_TIMERS, MOVE_TIMER, TIMER_LEASE_SECONDS } from './timers.rows';

/** How often each instance looks for timers that are due, in milliseconds. */
const LOOK_MS = 1_000;
/** Share of the period: a look that comes a little early must still find the timer due. */
const EARLY = 0.8;

/** @returns true if there is more to do now */
type Run = (signal: AbortSignal) => Promise<unknown>;

interface Timer {
  everyMs: number;
  run: Run;
  runs: BatchRuns;
}

/** Periodic jobs that one instance at a time runs: a row for each timer says when it is due. */
@Injectable()
export class Timers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Timers.name);
  private readonly timers = new Map<string, Timer>();
  private readonly running = new Map<Promise<void>, Lease>();
  private look?: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();
  private added = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
  ) {}

  /**
   * Call it while modules initialise.
   * @param name of the timer in the database, and in the log line of a failure
   * @param run does one batch of the job
   */
  every(name: string, everyMs: number, run: Run): void {
    if (this.timers.has(name)) throw new RangeError(`There is a timer "${name}" already`);
    this.timers.set(name, { everyMs, run, runs: new BatchRuns(name, this.logger) });
  }

  onApplicationBootstrap(): void {
    this.lookIn(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.look);
    await this.looking;
    await Promise.all(this.running.keys());
  }

  private lookIn(ms: number): void {
    if (this.stopped) return;
    this.look = setTimeout(() => {
      this.looking = this.claim().catch((err: unknown) => this.logger.debug({ err }, 'Timers could not be claimed'));
      void this.looking.then(() => this.lookIn(LOOK_MS));
    }, ms);
  }

  private async claim(): Promise<void> {
    if (this.outage.recent) return;
    const names = [...this.timers.keys()];
    if (!this.added) await this.database.query(ADD_TIMERS, [names]);
    this.added = true;
    const seconds = names.map((name) => Math.min(secondsOf(this.timers.get(name)!) * EARLY, TIMER_LEASE_SECONDS));
    const values = [names, seconds, claimDeadline(this.clock)];
    const claimed = await this.database.query<{ name: string; fence: number }>(CLAIM_TIMERS, values);
    for (const { name, fence } of claimed) this.start(name, fence);
  }

  private start(name: string, fence: number): void {
    const move = async (seconds: number) => (await this.database.query(MOVE_TIMER, [name, fence, seconds])).length > 0;
    const lease = new Lease(TIMER_LEASE_SECONDS, () => move(TIMER_LEASE_SECONDS));
    const startedAt = performance.now();
    const timer = this.timers.get(name)!;
    const isOver = () => this.stopped || lease.signal.aborted;
    const run = timer.runs
      .run(() => timer.run(lease.signal), isOver)
      .then(async () => {
        lease.end();
        this.running.delete(run);
        // For a frequent timer whose run was short, the claim has already set the next time.
        const isSet = secondsOf(timer) <= TIMER_LEASE_SECONDS && performance.now() - startedAt < timer.everyMs / 2;
        if (!isSet) await move(secondsOf(timer)).catch(() => undefined);
      });
    this.running.set(run, lease);
  }
}

function secondsOf({ everyMs }: Timer): number {
  return everyMs / 1_000;
}
