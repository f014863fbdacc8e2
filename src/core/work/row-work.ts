import type { Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { Environment } from '#contracts';
import { backoffMs, type Backoff } from '../clock/backoff';
import type { Clock } from '../clock/clock.service';
import type { Database } from '../database/database.service';
import type { Outage } from '../database/outage.service';
import { claimDeadline } from './claim-deadline';
import { dueStateOf } from './monitor/due-work.rows';
import { ExternalError, FAULT_LIMIT, isOwnFault } from './monitor/own-fault';
import { dueKeysOf, dueStatements, type DueRow, type DueStatements } from './due.rows';
import { Lease } from './lease';
import { NOTHING_DUE, type KeyedWork, type Outcome, type WorkKind } from './work-kind';
import type { WorkPlace } from './work-places';

/** How long running work may continue after the stop was requested, in milliseconds. */
const STOP_GRACE_MS = 20_000;
/** Backoff of a row whose run failed, unless its kind sets one. */
const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 };

/** Due work with one row per key. */
export class RowWork implements KeyedWork {
  readonly name: string;
  readonly concurrency: number;
  readonly dueKeys: string;
  readonly state: KeyedWork['state'];
  private readonly statements: DueStatements;
  private readonly running = new Map<Promise<unknown>, Lease>();
  private stopped = false;

  constructor(
    private readonly kind: WorkKind,
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    const { name, due, concurrency } = kind;
    this.name = name;
    this.concurrency = concurrency;
    this.statements = dueStatements(due);
    this.dueKeys = dueKeysOf(due);
    this.state = { sql: dueStateOf(due, 'giveUp' in kind), concurrency };
    // Rows that run here stay ours even if their lease ran out: right after an outage no other instance claims them.
    outage.watch({ ends: () => this.running.forEach((lease) => void lease.renew()) });
  }

  async process(key: string, _environment: Environment, place: WorkPlace): Promise<number | undefined> {
    if (this.stopped || this.outage.recent) return undefined;
    const { claim, next } = this.statements;
    const [row] = await this.database.query<DueRow & QueryResultRow>(claim, [key, claimDeadline(this.clock)]);
    if (row && (await this.track(key, row, place)) === NOTHING_DUE) return undefined;
    if (this.stopped) return undefined;
    const [due] = await this.database.query<{ ms: number }>(next, [key]);
    return due?.ms;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    const timer = setTimeout(() => {
      for (const lease of this.running.values()) lease.abort(new Error('the process is stopping'));
    }, STOP_GRACE_MS);
    await Promise.all(this.running.keys());
    clearTimeout(timer);
  }

  private async track(key: string, row: DueRow, place: WorkPlace): Promise<Outcome> {
    const { extend } = this.statements;
    const held = [key, row.fence];
    const lease = new Lease(this.kind.due.leaseSeconds, async () => {
      return (await this.database.query(extend, held)).length > 0;
    });
    const run = this.runLeased(key, row, lease.signal, place);
    this.running.set(run, lease);
    const outcome = await run;
    lease.end();
    this.running.delete(run);
    return outcome;
  }

  /** Never rejects. */
  private async runLeased(key: string, row: DueRow, signal: AbortSignal, place: WorkPlace): Promise<Outcome> {
    try {
      return await this.kind.run(row, signal, place);
    } catch (error) {
      await this.putBack(key, row, signal, error);
    }
  }

  private async putBack(key: string, row: DueRow, signal: AbortSignal, error: unknown): Promise<void> {
    const { release, postpone } = this.statements;
    try {
      if (signal.aborted) {
        await this.database.query(release, [key, row.fence]);
        return;
      }
      const faults = this.faultsAfter(row, error);
      const pauseMs = backoffMs(row.attempts, this.kind.backoff ?? BACKOFF);
      this.logger.warn({ err: error }, `${this.name} failed (attempt ${row.attempts}); retrying in ${pauseMs} ms`);
      await this.database.query(postpone, [key, row.fence, pauseMs / 1_000, faults]);
      if (faults >= FAULT_LIMIT) await this.kind.giveUp?.(row, error);
    } catch (lost) {
      this.logger.warn({ err: lost }, `${this.name} could not be released; its lease will expire`);
    }
  }

  /**
   * @returns how many times in a row the work has failed by a fault of our own. A database that cannot be used is no such
   *   fault.
   */
  private faultsAfter({ faults }: DueRow, error: unknown): number {
    if (error instanceof ExternalError) return 0;
    if (!isOwnFault(error)) return faults;
    // Work that was given up counts from one again.
    return this.kind.giveUp && faults >= FAULT_LIMIT ? 1 : faults + 1;
  }
}
