import type { Logger } from '@nestjs/common';
import type { Database } from '../database/database';
import { dueStatements, type DueRow, type DueStatements } from './due-rows';
import type { WorkKind } from './work-kind';

/** How long running work may go on after the stop was asked for, in milliseconds. */
const STOP_GRACE_MS = 20_000;
/** Seconds before a failed row is tried again, by attempt; the last one repeats. */
const RETRY_SECONDS = [1, 2, 5, 10, 30, 60];

/** One kind's claims in this process: keeps up to `concurrency` rows running. */
export class WorkLane {
  private readonly statements: DueStatements;
  private readonly running = new Map<Promise<void>, AbortController>();
  private pumping?: Promise<void>;
  private again = false;
  private stopped = false;

  constructor(
    private readonly kind: WorkKind,
    private readonly database: Database,
    private readonly logger: Logger,
  ) {
    this.statements = dueStatements(kind.due);
  }

  /** Claims what is due into the free places. Resolves when nothing more can be claimed now; never rejects. */
  pump(): Promise<void> {
    if (this.pumping) {
      this.again = true;
      return this.pumping;
    }
    this.pumping = this.fill().finally(() => {
      this.pumping = undefined;
      if (!this.again) return;
      this.again = false;
      void this.pump();
    });
    return this.pumping;
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.stopped = true;
    await this.pumping;
    const timer = setTimeout(() => {
      for (const controller of this.running.values()) controller.abort(new Error('the process is stopping'));
    }, graceMs);
    await Promise.all(this.running.keys());
    clearTimeout(timer);
  }

  private async fill(): Promise<void> {
    try {
      while (!this.stopped) {
        const places = this.kind.concurrency - this.running.size;
        if (places <= 0) return;
        const rows = await this.database.query<DueRow>(this.statements.claim, [places]);
        for (const row of rows) this.start(row);
        if (rows.length < places) return;
      }
    } catch (error) {
      this.logger.debug({ err: error }, `Due ${this.kind.name} could not be claimed`);
    }
  }

  private start(row: DueRow): void {
    const controller = new AbortController();
    const run = this.runLeased(row, controller).finally(() => {
      this.running.delete(run);
      if (!this.stopped) void this.pump();
    });
    this.running.set(run, controller);
  }

  private async runLeased(row: DueRow, controller: AbortController): Promise<void> {
    const key = this.kind.keyOf(row);
    const heartbeat = setInterval(
      () => void this.extend(key, row.fence, controller),
      (this.kind.due.leaseSeconds * 1000) / 3,
    );
    try {
      await this.kind.run(row, controller.signal);
    } catch (error) {
      await this.putBack(key, row, controller.signal, error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async extend(key: string, fence: number, controller: AbortController): Promise<void> {
    try {
      const held = await this.database.query(this.statements.extend, [key, fence]);
      if (held.length === 0) controller.abort(new Error('the lease was lost'));
    } catch {
      // The lease runs out by itself if the database stays away; the fence protects whoever takes over.
    }
  }

  private async putBack(key: string, row: DueRow, signal: AbortSignal, error: unknown): Promise<void> {
    try {
      if (signal.aborted) {
        await this.database.query(this.statements.release, [key, row.fence]);
        return;
      }
      const seconds = RETRY_SECONDS[Math.min(row.attempts, RETRY_SECONDS.length) - 1] ?? RETRY_SECONDS[0];
      this.logger.warn({ err: error }, `${this.kind.name} failed (attempt ${row.attempts}); again in ${seconds} s`);
      await this.database.query(this.statements.postpone, [key, row.fence, seconds]);
    } catch (lost) {
      this.logger.warn({ err: lost }, `${this.kind.name} could not be put back; its lease will run out`);
    }
  }
}
