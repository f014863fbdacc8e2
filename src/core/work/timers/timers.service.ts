import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../clock/clock.service';
import { Database } from '../../database/database.service';
import { Outage } from '../../database/outage.service';
import { BatchRuns } from '../batch-runs';
import { claimDeadline } from '../claim-deadline';
import { Lease } from '../lease';
import { ADD_TIMERS, CLAIM_TIMERS, MOVE_TIMER, TIMER_LEASE_SECONDS } from './timers.rows';

/** How often each process looks for timers of the deployment that are due, in milliseconds. */
const LOOK_MS = 1_000;
/** Share of the period: a look that comes a little early must still find the timer due. */
const EARLY = 0.8;
/**
 * The first run in a process begins at most this long after the start, in milliseconds: a process that restarts daily still
 * runs hourly jobs.
 */
const FIRST_RUN_MS = 5_000;

/** Rows that a run changes in one statement, so that it holds its locks briefly. */
export const PERIODIC_BATCH = 5_000;

/** Does one batch; resolves with true if there is more to do now. */
type Run = (signal: AbortSignal) => Promise<unknown>;

interface TimerOptions {
  /** `deployment`: one process runs it; the row in `timers` is its lease. `process`: each process runs it. */
  scope?: 'deployment' | 'process';
  /** When the first run in a process begins, in milliseconds after the start of the application. */
  firstMs?: number;
}

/** A repeated job; its owner may run or stop it. */
export interface Timer {
  /** Starts a run after the current one: batches until nothing is left to do. Never rejects. */
  run(signal?: AbortSignal): Promise<void>;
  /** Starts no more batches; resolves when the current batch has ended. */
  stop(): Promise<void>;
}

/** Runs what repeats, from the start of the application to its stop. */
@Injectable()
export class Timers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Timers.name);
  private readonly stopping = new AbortController();
  /** By name: the timers of the deployment. */
  private readonly shared = new Map<string, Timer & { everyMs: number }>();
  private readonly own: { timer: Timer; everyMs: number; firstMs: number }[] = [];
  private readonly runs = new Set<Promise<void>>();
  private added = false;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
  ) {}

  /**
   * Call it while modules initialise.
   * @param name of the timer in the database, and in the log line of a failure: “The deletion of old events”
   * @param everyMs from the end of one run to the next, in milliseconds
   * @param run does one batch of the job
   */
  every(
    name: string,
    everyMs: number,
    run: Run,
    { scope = 'deployment', firstMs = Math.min(everyMs, FIRST_RUN_MS) }: TimerOptions = {},
  ): Timer {
    const timer = this.timerOf(name, run);
    if (scope === 'process') this.own.push({ timer, everyMs, firstMs });
    else if (this.shared.has(name)) throw new RangeError(`There is a timer "${name}" already`);
    else this.shared.set(name, { ...timer, everyMs });
    return timer;
  }

  onApplicationBootstrap(): void {
    if (this.shared.size > 0) this.repeat(0, LOOK_MS, () => this.claim());
    for (const { timer, everyMs, firstMs } of this.own) this.repeat(firstMs, everyMs, () => timer.run());
  }

  /** Starts no more batches; resolves when the current batches have ended. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.runs);
  }

  private timerOf(name: string, batch: Run): Timer {
    const batches = new BatchRuns(name, this.logger);
    let [last, isStopped] = [Promise.resolve(), false];
    return {
      run: (signal = this.stopping.signal) => {
        const isOver = () => isStopped || this.stopping.signal.aborted || signal.aborted;
        last = last.then(() => batches.run(() => batch(signal), isOver));
        return this.untilEnded(last);
      },
      stop: () => {
        isStopped = true;
        return last;
      },
    };
  }

  /** @param task handles its own errors */
  private repeat(inMs: number, everyMs: number, task: () => Promise<void>): void {
    const timeout = setTimeout(() => {
      if (!this.stopping.signal.aborted) void this.untilEnded(task()).then(() => this.repeat(everyMs, everyMs, task));
    }, inMs);
    timeout.unref();
  }

  private untilEnded(run: Promise<void>): Promise<void> {
    this.runs.add(run);
    return run.finally(() => this.runs.delete(run));
  }

  private async claim(): Promise<void> {
    if (this.outage.recent) return;
    const names = [...this.shared.keys()];
    try {
      if (!this.added) await this.database.query(ADD_TIMERS, [names]);
      this.added = true;
      const seconds = [...this.shared.values()].map((timer) => Math.min(secondsOf(timer) * EARLY, TIMER_LEASE_SECONDS));
      const values = [names, seconds, claimDeadline(this.clock)];
      const claimed = await this.database.query<{ name: string; fence: number }>(CLAIM_TIMERS, values);
      for (const { name, fence } of claimed) void this.untilEnded(this.runClaimed(name, fence));
    } catch (err) {
      this.logger.debug({ err }, 'Timers could not be claimed');
    }
  }

  private async runClaimed(name: string, fence: number): Promise<void> {
    const move = async (seconds: number) => (await this.database.query(MOVE_TIMER, [name, fence, seconds])).length > 0;
    const lease = new Lease(TIMER_LEASE_SECONDS, () => move(TIMER_LEASE_SECONDS));
    const startedAt = performance.now();
    const timer = this.shared.get(name)!;
    await timer.run(lease.signal);
    lease.end();
    // For a frequent timer whose run was short, the claim has already set the next time.
    const isSet = secondsOf(timer) <= TIMER_LEASE_SECONDS && performance.now() - startedAt < timer.everyMs / 2;
    if (!isSet) await move(secondsOf(timer)).catch(() => undefined);
  }
}

function secondsOf({ everyMs }: { everyMs: number }): number {
  return everyMs / 1_000;
}
