import type { Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { backoffMs, type Backoff } from '../../clock/backoff';
import type { Clock } from '../../clock/clock.service';
import type { Database } from '../../database/database.service';
import type { Outage } from '../../database/outage.service';
import { runIn } from '../../observability/tracing/work-context';
import { CoalescingTask } from '../coalescing-task';
import { claimDeadline } from '../claim-deadline';
import { ExternalError, FAULT_LIMIT, isOwnFault } from '../monitor/own-fault';
import { dueStatements, type DueRow, type DueStatements } from './due-rows';
import type { WorkKind } from './work-kind';

/** How long running work may go on after the stop was asked for, in milliseconds. */
const STOP_GRACE_MS = 20_000;
/** Of a row whose run failed, unless its kind says otherwise. */
const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 };

interface Running {
  environment: Environment;
  key: string;
  fence: number;
  controller: AbortController;
}

/** One kind's claims in this process: keeps up to `concurrency` rows of each environment running. */
export class Worker {
  private readonly statements: DueStatements;
  private readonly running = new Map<Promise<void>, Running>();
  private readonly claims: CoalescingTask;
  /** Environments of which the last claim may have left due rows, for want of places or by an error. */
  private leftSome: readonly Environment[] = [];
  private stopped = false;

  constructor(
    private readonly kind: WorkKind,
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.statements = dueStatements(kind.due);
    this.claims = new CoalescingTask(
      () => this.fill(),
      (error) => logger.debug({ err: error }, `Due ${kind.name} could not be claimed`),
    );
    // What runs here is still ours, although its lease may have run out: no other instance takes it over yet.
    outage.watch({ ends: () => this.running.forEach((running) => void this.extend(running)) });
  }

  /** Soon claims what is due into the free places. */
  poll(): void {
    this.claims.request();
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.stopped = true;
    await this.claims.stop();
    const timer = setTimeout(() => {
      for (const { controller } of this.running.values()) controller.abort(new Error('the process is stopping'));
    }, graceMs);
    await Promise.all(this.running.keys());
    clearTimeout(timer);
  }

  private async fill(): Promise<void> {
    if (this.stopped || this.outage.recent) return;
    const places = { live: this.placesOf('live'), test: this.placesOf('test') };
    this.leftSome = ENVIRONMENTS;
    if (places.live === 0 && places.test === 0) return;
    const values = [places.live, places.test, claimDeadline(this.clock)];
    const rows = await this.database.query<DueRow & QueryResultRow>(this.statements.claim, values);
    for (const row of rows) this.start(row);
    const claimed = (word: Environment) => rows.filter(({ environment }) => environment === word).length;
    this.leftSome = ENVIRONMENTS.filter((word) => claimed(word) === places[word]);
  }

  private placesOf(word: Environment): number {
    let running = 0;
    for (const { environment } of this.running.values()) if (environment === word) running += 1;
    return this.kind.concurrency - running;
  }

  private start(row: DueRow): void {
    const { environment, fence } = row;
    const running = { environment, key: this.kind.keyOf(row), fence, controller: new AbortController() };
    const run = this.runLeased(row, running).finally(() => {
      this.running.delete(run);
      if (this.leftSome.includes(environment)) this.poll();
    });
    this.running.set(run, running);
  }

  private async runLeased(row: DueRow, running: Running): Promise<void> {
    const { signal } = running.controller;
    const heartbeat = setInterval(() => void this.extend(running), (this.kind.due.leaseSeconds * 1000) / 3);
    try {
      await runIn({ ids: {}, environment: row.environment }, () => this.kind.run(row, signal));
    } catch (error) {
      await this.putBack(running.key, row, signal, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async extend({ key, fence, controller }: Running): Promise<void> {
    try {
      const held = await this.database.query(this.statements.extend, [key, fence]);
      if (held.length === 0) controller.abort(new Error('the lease was lost'));
    } catch {
      // The lease runs out by itself if the database stays away; the fence protects the next holder.
    }
  }

  private async putBack(key: string, row: DueRow, signal: AbortSignal, error: unknown): Promise<void> {
    try {
      if (signal.aborted) {
        await this.database.query(this.statements.release, [key, row.fence]);
        return;
      }
      const faults = this.faultsAfter(row, error);
      const pauseMs = backoffMs(row.attempts, this.kind.backoff ?? BACKOFF);
      this.logger.warn({ err: error }, `${this.kind.name} failed (attempt ${row.attempts}); again in ${pauseMs} ms`);
      await this.database.query(this.statements.postpone, [key, row.fence, pauseMs / 1_000, faults]);
      if (faults >= FAULT_LIMIT) await this.kind.giveUp?.(row, error);
    } catch (lost) {
      this.logger.warn({ err: lost }, `${this.kind.name} could not be put back; its lease will run out`);
    }
  }

  /** @returns how often in a row the work has failed by a fault of our own. A database that cannot be used is no try. */
  private faultsAfter({ faults }: DueRow, error: unknown): number {
    if (error instanceof ExternalError) return 0;
    if (!isOwnFault(error)) return faults;
    // Work that was given up has begun anew.
    return this.kind.giveUp && faults >= FAULT_LIMIT ? 1 : faults + 1;
  }
}
