import { Injectable, Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { Database } from '../../database/database.service';
import { Outage } from '../../database/outage.service';
import { WriteHealth } from '../../database/connections/write-health.service';
import { Metrics } from '../../observability/metrics.service';
import { Timers } from '../timers/timers.service';
import { unionOf } from '../due.rows';
import { LOOK_LIMIT, type DueState } from './due-work.rows';

const INTERVAL_MS = 5_000;
/** Work that waits this long is overdue, in milliseconds. */
const OVERDUE_MS = 60_000;

export interface WatchedWork {
  kind: string;
  /** SQL that returns a DueState for each environment, with its columns in that order. */
  state: string;
  /** While an environment has this many pieces under way, its other pieces wait for their turn and are not overdue. */
  concurrency: number;
}

/**
 * Whether the instances do the due work: reports work that is overdue, and work that keeps failing by a fault of this
 * program.
 */
@Injectable()
export class DueWorkMonitor {
  private readonly logger = new Logger(DueWorkMonitor.name);
  private readonly watched: WatchedWork[] = [];
  private stuck = new Set<string>();
  /** Work is not overdue while it waits for this process to start, or for a database that is unavailable or refuses writes. */
  private availableSince = performance.now();
  private readonly count: Gauge;
  private readonly oldest: Gauge;
  private readonly faulty: Gauge;

  constructor(
    private readonly database: Database,
    outage: Outage,
    writes: WriteHealth,
    metrics: Metrics,
    timers: Timers,
  ) {
    this.count = metrics.gauge(
      'gateway_due_work',
      `Items of due work, including those in progress; above about ${LOOK_LIMIT} a lower bound.`,
      ['kind'],
    );
    this.oldest = metrics.gauge(
      'gateway_due_work_oldest_seconds',
      'Age of the oldest item of due work; 0 if there is none.',
      ['kind'],
    );
    this.faulty = metrics.gauge(
      'gateway_due_work_stuck',
      '1 while an item has failed five times in a row because of the gateway, or is overdue by a minute.',
      ['kind'],
    );
    const resumed = () => void (this.availableSince = performance.now());
    outage.watch({ ends: resumed });
    writes.onResumed(resumed);
    timers.every('Due work monitor', INTERVAL_MS, () => this.look(), { scope: 'process' });
  }

  /** Call it while modules initialise. */
  watch(work: WatchedWork): void {
    this.watched.push(work);
  }

  /** Kinds with a row that failed five times in a row by a fault of the gateway, or that is overdue. */
  get degraded(): boolean {
    return this.stuck.size > 0;
  }

  private async look(): Promise<void> {
    const stuck = new Set<string>();
    const statement = unionOf(
      'due-work-state',
      this.watched.map(({ state }) => state),
    );
    const rows = await this.database.query<DueState & { index: number }>(statement, []);
    for (const [index, { kind, concurrency }] of this.watched.entries()) {
      const states = rows.filter((row) => row.index === index);
      const isStuck = states.some(
        ({ faulty, running, waiting_seconds }) => faulty || (running < concurrency && this.isOverdue(waiting_seconds)),
      );
      if (isStuck) stuck.add(kind);
      this.count.set(
        { kind },
        states.reduce((sum, { due }) => sum + due, 0),
      );
      this.oldest.set({ kind }, Math.max(0, ...states.map(({ oldest_seconds }) => oldest_seconds ?? 0)));
      this.faulty.set({ kind }, isStuck ? 1 : 0);
    }
    for (const kind of stuck)
      if (!this.stuck.has(kind))
        this.logger.error(`Due work is stuck: ${kind} (failed five times, or overdue by 60 s)`);
    this.stuck = stuck;
  }

  private isOverdue(waitingSeconds: number | null): boolean {
    return (
      waitingSeconds !== null && Math.min(waitingSeconds * 1_000, performance.now() - this.availableSince) > OVERDUE_MS
    );
  }
}
