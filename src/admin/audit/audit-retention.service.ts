import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { SettingsService } from '../../core/settings/settings.service';
import { PERIODIC_BATCH, type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

const oldEntries = (match: string) => `
  DELETE FROM audit_log WHERE id IN (
    SELECT id FROM audit_log WHERE ${match} AND created_at < $1::timestamptz
    ORDER BY created_at LIMIT ${PERIODIC_BATCH} FOR UPDATE SKIP LOCKED
  ) RETURNING 1`;

const DELETE_OF: Readonly<Record<Environment | 'none', ReturnType<typeof statement>>> = {
  live: statement('audit-delete-live', oldEntries(`environment = 'live'`)),
  test: statement('audit-delete-test', oldEntries(`environment = 'test'`)),
  none: statement('audit-delete-none', oldEntries('environment IS NULL')),
};

/** Deletes audit entries older than the setting `retention.audit_days`; those without a key follow the live setting. */
@Injectable()
export class AuditRetention {
  private readonly job: PeriodicJob;

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The deletion of old audit entries', INTERVAL_MS, () => this.deleteBatch());
  }

  /** Deletes what is too old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private async deleteBatch(): Promise<boolean> {
    let more = false;
    for (const owner of [...ENVIRONMENTS, 'none'] as const) {
      const { audit_days: days } = this.settings.of(owner === 'none' ? 'live' : owner).retention;
      const deleted = await this.database.query(DELETE_OF[owner], [new Date(this.clock.now() - days * DAY_MS)]);
      more ||= deleted.length === PERIODIC_BATCH;
    }
    return more;
  }
}
