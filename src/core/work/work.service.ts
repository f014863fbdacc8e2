import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database, type Statement } from '../database/database.service';
import { Outage } from '../database/outage.service';
import { DueWorkMonitor } from './monitor/due-work-monitor.service';
import { unionOf, type DueRow } from './due.rows';
import { RowWork } from './row-work';
import { Timers } from './timers/timers.service';
import type { KeyedWork, WorkKind } from './work-kind';
import type { WorkProcessor } from './work.processor';

/** The name of the sweep's timer. */
export const SWEEP = 'The sweep for due work';
const SWEEP_MS = 1_000;
/** The most keys of a kind that a sweep adds jobs for; keys that have been due longest come first. */
const SWEEP_LIMIT = 1_000;

interface DueKey {
  index: number;
  environment: Environment;
  key: string;
}

/** Due work: rows say what is due, jobs name the keys to look at, and the sweep finds rows whose job was lost. */
@Injectable()
export class Work implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Work.name);
  private readonly kinds: KeyedWork[] = [];
  private readonly processors: WorkProcessor[] = [];
  /** One statement for all kinds, which are registered before the first sweep. */
  private sweepStatement?: Statement;
  private stopped?: Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly monitor: DueWorkMonitor,
    timers: Timers,
  ) {
    timers.every(SWEEP, SWEEP_MS, () => this.sweep());
  }

  /** Each environment of a kind has a processor if a module imports `WorkModule.forKind`. */
  addProcessor(processor: WorkProcessor): void {
    this.processors.push(processor);
  }

  /** Call it while modules initialise. @throws for a kind that is already registered, or that has no processor */
  register<Row extends DueRow>(kind: WorkKind<Row>): void {
    this.registerKeyed(new RowWork(kind, this.database, this.outage, this.clock, this.logger));
  }

  /** The same for work with several rows per key. */
  registerKeyed(work: KeyedWork): void {
    const { name, state } = work;
    if (this.kinds.some((known) => known.name === name)) throw new RangeError(`"${name}" is registered already`);
    const processors = this.processors.filter(({ kind }) => kind === name);
    if (processors.length === 0) throw new RangeError(`"${name}" has no processor: import WorkModule.forKind`);
    this.kinds.push(work);
    for (const processor of processors) processor.begin(work);
    this.monitor.watch({ kind: name, state: state.sql, concurrency: state.concurrency });
  }

  /** Tells that something of a key may be due, now or after a delay. Never throws, and is cheap. */
  wake(kind: string, environment: Environment, key: string, delayMs = 0): void {
    this.processors.find((one) => one.kind === kind && one.environment === environment)?.wake(key, delayMs);
  }

  /**
   * Claims nothing more. Running work may finish within a grace period; then its signal aborts, and its rows are released.
   * All grace periods begin here: Nest runs the hooks below module by module, and their periods would add up.
   */
  onModuleDestroy(): void {
    this.stopped = Promise.all(this.processors.map((processor) => processor.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /** One statement for all kinds: an idle gateway runs little else. */
  private async sweep(): Promise<void> {
    if (this.outage.recent || this.kinds.length === 0) return;
    this.sweepStatement ??= unionOf(
      'work-sweep',
      this.kinds.map(({ dueKeys }) => `${dueKeys} LIMIT ${SWEEP_LIMIT}`),
    );
    const due = await this.database.query<DueKey>(this.sweepStatement, []);
    for (const processor of this.processors) {
      const index = this.kinds.findIndex(({ name }) => name === processor.kind);
      const { environment } = processor;
      processor.sweep(
        due.filter((row) => row.index === index && row.environment === environment).map(({ key }) => key),
      );
    }
  }
}
