import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.service';
import { Timers } from '../work/timers/timers.service';

/** Each page of a list adds up the changes since the last fold. */
const INTERVAL_MS = 60_000;

/**
 * Changes that one statement folds: enough for a busy minute, because each fold rewrites the same counts. No writer waits
 * for its locks.
 */
export const FOLDED_AT_ONCE = 50_000;

/**
 * Exact totals of rows that change or are deleted. Triggers append each change instead of updating a count, so that writers
 * do not wait for each other. A total is the sum of the counts and the changes not folded yet, read in one snapshot. One
 * instance folds the changes into the counts, once a minute.
 */
@Injectable()
export class FoldedCounts {
  private readonly folds: Statement[] = [];

  constructor(
    private readonly database: Database,
    private readonly timers: Timers,
  ) {}

  /**
   * Call it while modules initialise.
   * @param name of the timer, also in the log line of a failure
   * @param fold moves at most `FOLDED_AT_ONCE` changes in one statement, so that a snapshot has each change in exactly one
   *   of the tables; its row holds their number: `folded`
   */
  add(name: string, fold: Statement): void {
    this.folds.push(fold);
    this.timers.every(name, INTERVAL_MS, () => this.foldBatch(fold));
  }

  /** Folds the changes so far. */
  async foldAll(): Promise<void> {
    for (const fold of this.folds) while (await this.foldBatch(fold));
  }

  private async foldBatch(fold: Statement): Promise<boolean> {
    const [row] = await this.database.query<{ folded: number }>(fold, []);
    return row!.folded === FOLDED_AT_ONCE;
  }
}
