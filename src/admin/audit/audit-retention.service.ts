import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { deleteFirstUnlocked } from '../../core/database/first-unlocked';
import { SettingsService } from '../../core/settings/settings.service';
import { PERIODIC_BATCH, type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { AuditCountEntity } from './audit-count.entity';
import { AuditEntryEntity } from './audit-entry.entity';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Deletes audit entries older than the setting `retention.audit_days`; entries without a key follow the live setting. */
@Injectable()
export class AuditRetention {
  private readonly job: PeriodicJob;

  constructor(
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
    @InjectRepository(AuditCountEntity) private readonly counts: Repository<AuditCountEntity>,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The deletion of old audit entries', INTERVAL_MS, () => this.deleteBatch());
  }

  /** Deletes the entries that are too old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private async deleteBatch(): Promise<boolean> {
    for (const owner of [...ENVIRONMENTS, null]) if ((await this.deleteOf(owner)) === PERIODIC_BATCH) return true;
    return (await this.deleteEmptyCounts()) === PERIODIC_BATCH;
  }

  private deleteEmptyCounts(): Promise<number> {
    return deleteFirstUnlocked(this.counts.createQueryBuilder('empty').where('empty.count = 0'), PERIODIC_BATCH);
  }

  private deleteOf(owner: Environment | null): Promise<number> {
    const { audit_days: days } = this.settings.of(owner ?? 'live').retention;
    const old = this.entries
      .createQueryBuilder('old')
      .where(owner ? 'old.environment = :owner' : 'old.environment IS NULL', { owner })
      .andWhere('old.createdAt < :before', { before: new Date(this.clock.now() - days * DAY_MS) })
      .orderBy('old.createdAt');
    return deleteFirstUnlocked(old, PERIODIC_BATCH);
  }
}
