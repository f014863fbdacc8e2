import { Injectable } from '@nestjs/common';
import { Database } from '../core/database/database.service';
import { PERIODIC_BATCH, type PeriodicJob, PeriodicJobs } from '../core/work/periodic-jobs.service';
import { FOLD } from './conversation-counts.rows';

const INTERVAL_MS = 10_000;

/** Adds the changes that the triggers of `conversations` note to the counts that list totals are made of. */
@Injectable()
export class ConversationCounts {
  private readonly job: PeriodicJob;

  constructor(
    private readonly database: Database,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The counting of conversations', INTERVAL_MS, () => this.foldBatch());
  }

  /** Adds the changes noted so far. */
  fold(): Promise<void> {
    return this.job.run();
  }

  private async foldBatch(): Promise<boolean> {
    const [row] = await this.database.query<{ folded: number }>(FOLD, []);
    return row!.folded === PERIODIC_BATCH;
  }
}
