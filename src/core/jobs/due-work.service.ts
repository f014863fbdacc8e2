import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { Database } from '../database/database.service';
import { Outage } from '../database/outage.service';
import { WakeQueue } from './work-signals.service';
import { WorkLane } from './worker';
import type { DueRow } from './due-rows';
import type { WorkKind } from './work-kind';

const SWEEP_MS = 1_000;

/**
 * Does due work. Rows are the truth; a wake-up only saves waiting for the sweep, which finds whatever a crash, a flushed
 * queue or a lost notification left.
 */
@Injectable()
export class Work implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Work.name);
  private readonly lanes = new Map<string, WorkLane>();
  private timer?: NodeJS.Timeout;
  private stopped?: Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly queue: WakeQueue,
  ) {}

  /** To be called while modules initialise. */
  register<Row extends DueRow>(kind: WorkKind<Row>): void {
    const lane = new WorkLane(kind, this.database, this.outage, this.clock, this.logger);
    this.lanes.set(kind.name, lane);
    this.queue.register(kind.name, () => Promise.resolve(lane.pump()));
  }

  /** Says that work of a kind may have become due. Never throws, costs next to nothing. */
  wake(name: string): void {
    this.queue.wake(name);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
    this.sweep();
  }

  /**
   * No new claims; what runs may finish within a grace period, then it is told to stop and released. The period begins
   * with the stop itself: Nest waits for the hooks below module by module, and the periods of several would add up.
   */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.stopped = Promise.all([...this.lanes.values()].map((lane) => lane.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private sweep(): void {
    for (const lane of this.lanes.values()) lane.pump();
  }
}
