import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Environment } from '#contracts';
import { Outage } from '../../core/database/outage.service';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { DueWork } from '../../core/work/signals/due-work.service';
import { DueWorkMonitor } from '../../core/work/monitor/due-work-monitor.service';
import { AttemptRunner } from './attempt-runner.service';
import {
  DISPATCHES_STATE,
  DueDispatches,
  HAS_DUE_DISPATCH,
  LEASE_SECONDS,
  type DueDispatch,
} from './due-dispatches.service';
import { HostRate } from '../guard/host-rate.service';
import { AttemptRecorder } from './attempt-recorder.service';
import { DispatchLane, LIMIT, STOPPING } from './dispatch-lane';

/** An environment with this part of its places taken is busy: what waits, waits for its turn. */
const BUSY = 0.9;

const EXTEND_MS = (LEASE_SECONDS * 1000) / 3;
/** How long attempts may go on after the stop was asked for, in milliseconds. */
const STOP_GRACE_MS = 30_000;
/** What recording them may take then. */
const RECORD_GRACE_MS = 2_000;

/**
 * Delivers what is due. Rows are the truth: signals, and the alarm for retries, save waiting for the sweep, which each
 * second finds what a crash, a flushed queue or a lost notification left, and retries that another process recorded.
 */
@Injectable()
export class Dispatcher implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly lanes: Readonly<Record<Environment, DispatchLane>>;
  private timers: NodeJS.Timeout[] = [];
  /** Aborted when nothing is under way any more. */
  private readonly ended = new AbortController();

  constructor(
    private readonly due: DueDispatches,
    attempts: AttemptRunner,
    private readonly recorder: AttemptRecorder,
    private readonly hosts: HostRate,
    private readonly outage: Outage,
    monitor: DueWorkMonitor,
    work: DueWork,
  ) {
    const { logger } = this;
    const parts = { due, attempts, recorder, hosts, outage, logger };
    this.lanes = { live: new DispatchLane('live', parts), test: new DispatchLane('test', parts) };
    work.sweepFor(HAS_DUE_DISPATCH, () => this.all.forEach((lane) => lane.poll()));
    monitor.watch({ kind: 'webhook-dispatches', state: DISPATCHES_STATE, concurrency: LIMIT * BUSY });
  }

  onModuleInit(): void {
    // What is under way here is still ours, although its lease may have run out: no other instance takes it over yet.
    this.outage.watch({ ends: () => void this.extendAll() });
  }

  /** Soon claims what is due in one environment. */
  poll(environment: Environment): void {
    this.lanes[environment].poll();
  }

  onApplicationBootstrap(): void {
    this.timers = [setInterval(() => void this.extend(EXTEND_MS / 2), EXTEND_MS)];
  }

  /** Before anything waits for its own end: the grace begins with the signal. */
  onModuleDestroy(): void {
    for (const lane of this.all) lane.stop();
    this.hosts.close(STOPPING);
    this.timers.push(setTimeout(() => this.all.forEach(({ inFlight }) => inFlight.abort(STOPPING)), STOP_GRACE_MS));
    this.timers.push(setTimeout(() => this.recorder.giveUp(), STOP_GRACE_MS + RECORD_GRACE_MS));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((lane) => lane.empty()));
    this.ended.abort();
    for (const timer of this.timers) clearTimeout(timer);
  }

  private get all(): DispatchLane[] {
    return Object.values(this.lanes);
  }

  private olderThan(ms: number): DueDispatch[] {
    return this.all.flatMap(({ inFlight }) => inFlight.olderThan(ms));
  }

  /** Others wait two seconds after an outage, and then take over: one try could meet a connection that broke meanwhile. */
  private async extendAll(): Promise<void> {
    const extend = () => this.due.extend(this.olderThan(0));
    await retryUntilPersisted(extend, this.ended.signal).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'Leases could not be extended');
    });
  }

  private async extend(olderThanMs: number): Promise<void> {
    try {
      await this.due.extend(this.olderThan(olderThanMs));
    } catch (error) {
      // The leases run out by themselves if the database stays away; the fence protects the next holder.
      this.logger.debug({ err: error }, 'Leases could not be extended');
    }
  }
}
