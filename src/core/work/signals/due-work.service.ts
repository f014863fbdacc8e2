import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../clock/clock.service';
import { composedStatement, Database } from '../../database/database.service';
import { Outage } from '../../database/outage.service';
import { PeriodicJobs } from '../periodic-jobs.service';
import { DueWorkMonitor } from '../monitor/due-work-monitor.service';
import { dueStateOf } from '../monitor/due-work-statement';
import { SignalQueue } from './signal-queue';
import { Worker } from './worker';
import { hasDue, type DueRow } from './due-rows';
import type { WorkKind } from './work-kind';

/** The queue of all kinds of due work that have none of their own. */
export const WORK_QUEUE = 'work';

const SWEEP_MS = 1_000;

/** The rows that the sweep looks for. */
interface Swept {
  /** SQL that is true while there is any. */
  isDue: string;
  poll: () => void;
}

/**
 * Does due work. Rows are the truth; a signal only saves waiting for the sweep, which finds whatever a crash, a flushed
 * queue or a lost notification left.
 */
@Injectable()
export class DueWork implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWork.name);
  private readonly workers = new Map<string, Worker>();
  private readonly swept: Swept[] = [];
  private stopped?: Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    @InjectQueue(WORK_QUEUE) private readonly queue: SignalQueue,
    private readonly monitor: DueWorkMonitor,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The search for due work', SWEEP_MS, () => this.sweep(), 0);
  }

  /**
   * To be called while modules initialise.
   * @throws for a kind that is registered already, or whose name is not made of letters, digits, `_`, `.` and `-`
   */
  register<Row extends DueRow>(kind: WorkKind<Row>): void {
    // It names jobs, whose ids BullMQ splits at colons.
    if (!/^[a-z][\w.-]*$/i.test(kind.name)) throw new RangeError(`"${kind.name}" cannot name a kind of work`);
    if (this.workers.has(kind.name)) throw new RangeError(`The kind of work "${kind.name}" is registered already`);
    const { name, due, concurrency } = kind;
    const worker = new Worker(kind, this.database, this.outage, this.clock, this.logger);
    this.workers.set(name, worker);
    this.sweepFor(hasDue(due), () => worker.poll());
    this.monitor.watch({ kind: name, state: dueStateOf(due, 'giveUp' in kind), concurrency });
  }

  /**
   * Has the sweep look for more. To be called while modules initialise.
   * @param isDue SQL that is true while there is any; it reads an index or a small table
   */
  sweepFor(isDue: string, poll: () => void): void {
    this.swept.push({ isDue, poll });
  }

  /** Says that work of a kind may have become due. Never throws, costs next to nothing. */
  signal(name: string): void {
    this.queue.signal(name);
  }

  /** Looks for due work of a kind in this process. */
  poll(name: string): void {
    this.workers.get(name)?.poll();
  }

  /**
   * No new claims; what runs may finish within a grace period, then it is told to stop and released. The period begins
   * with the stop itself: Nest waits for the hooks below module by module, and the periods of several would add up.
   */
  onModuleDestroy(): void {
    this.stopped = Promise.all([...this.workers.values()].map((worker) => worker.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /** One statement for all kinds: an idle gateway asks little else. */
  private async sweep(): Promise<void> {
    if (this.outage.recent) return;
    const text = `SELECT ARRAY[${this.swept.map(({ isDue }) => isDue).join(', ')}] AS due`;
    const [row] = await this.database.query<{ due: boolean[] }>(composedStatement('due-work-sweep', text), []);
    row!.due.forEach((isDue, index) => isDue && this.swept[index]!.poll());
  }
}
