import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.service';
import { Timers } from '../work/timers/timers.service';

/** A list adds up the changes since then for each page. */
const INTERVAL_MS = 60_000;

/** Changes that one statement folds: all of a busy minute, because each fold writes the same counts again. No one waits for its locks. */
export const FOLDED_AT_ONCE = 50_000;

/**
 * Exact totals of rows that change or are deleted. Triggers append what a statement changes, so that no writer waits for another;
 * a total is the sum of the counts and of the changes that are not among them yet, in one snapshot. One instance folds the
 * changes into the counts, once a minute.
 */
@Injectable()
export class FoldedCounts {
  private readonly folds: Statement[] = [];

  constructor(
    private readonly database: Database,
    private readonly timers: Timers,
  ) {}

  /**
   * To be called while modules initialise.
   * @param name of the timer, and in the log line of a failure
   * @param fold moves at most `FOLDED_AT_ONCE` changes, in one statement: each is in exactly one of the tables in any
   *   snapshot. Its row says how many: `folded`.
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
