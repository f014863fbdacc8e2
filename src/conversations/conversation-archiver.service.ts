import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database, statement } from '../core/database/database.service';
import { SettingsService } from '../core/settings/settings.service';
import { PERIODIC_BATCH, type PeriodicJob, PeriodicJobs } from '../core/jobs/periodic-jobs.service';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A message that arrives meanwhile holds the row, or finds it archived and makes it active again. */
const ARCHIVE = statement(
  'conversations-archive-idle',
  `UPDATE conversations SET status = 'archived' WHERE id IN (
     SELECT id FROM conversations
     WHERE environment = $1 AND status = 'active' AND last_message_at < $2::timestamptz
       AND (activated_at IS NULL OR activated_at < $2::timestamptz)
     ORDER BY last_message_at LIMIT ${PERIODIC_BATCH} FOR UPDATE SKIP LOCKED
   ) RETURNING 1`,
);

/** Archives conversations that were idle for the setting `conversations.archive_after_days`. */
@Injectable()
export class ConversationArchiver {
  private readonly job: PeriodicJob;

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The archiving of idle conversations', INTERVAL_MS, () => this.archiveBatch());
  }

  /** Archives what is idle for long enough now. */
  archiveIdle(): Promise<void> {
    return this.job.run();
  }

  private async archiveBatch(): Promise<boolean> {
    let more = false;
    for (const environment of ENVIRONMENTS) {
      const { archive_after_days: days } = this.settings.of(environment).conversations;
      const idleSince = new Date(this.clock.now() - days * DAY_MS);
      const archived = await this.database.query(ARCHIVE, [environment, idleSince]);
      more ||= archived.length === PERIODIC_BATCH;
    }
    return more;
  }
}
