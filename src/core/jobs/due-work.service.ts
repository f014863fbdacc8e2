import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { Database } from '../database/database.service';
import { Outage } from '../database/outage.service';
import { WorkSignals } from './work-signals.service';
import { PeriodicJobs } from './periodic-jobs.service';
import { Worker } from './worker';
import type { DueRow } from './due-rows';
import type { WorkKind } from './work-kind';

const SWEEP_MS = 1_000;

/**
 * Does due work. Rows are the truth; a wake-up only saves waiting for the sweep, which finds whatever a crash, a flushed
 * queue or a lost notification left.
 */
@Injectable()
export class DueWork implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWork.name);
  private readonly workers = new Map<string, Worker>();
  private stopped?: Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly queue: WorkSignals,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The search for due work', SWEEP_MS, () => this.pollAll(), 0);
  }

  /** To be called while modules initialise. */
  register<Row extends DueRow>(kind: WorkKind<Row>): void {
    const worker = new Worker(kind, this.database, this.outage, this.clock, this.logger);
    this.workers.set(kind.name, worker);
    this.queue.register(kind.name, () => Promise.resolve(worker.poll()));
  }

  /** Says that work of a kind may have become due. Never throws, costs next to nothing. */
  signal(name: string): void {
    this.queue.signal(name);
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

  private pollAll(): Promise<void> {
    for (const worker of this.workers.values()) worker.poll();
    return Promise.resolve();
  }
}
