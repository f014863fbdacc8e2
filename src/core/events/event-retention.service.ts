import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../clock/clock.service';
import { deleteFirstUnlocked } from '../database/first-unlocked';
import { type PeriodicJob, PeriodicJobs } from '../jobs/periodic-jobs.service';
import { SettingsService } from '../settings/settings.service';
import { EventEntity } from './event.entity';

const FIRST_RUN_MS = 60_000;
const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Rows that one statement deletes, so that it holds its locks briefly. */
const BATCH = 2_000;

/** Deletes events that are older than `retention.delivery_days` and have no open dispatch. */
@Injectable()
export class EventRetention {
  private readonly job: PeriodicJob;

  constructor(
    @InjectRepository(EventEntity) private readonly events: Repository<EventEntity>,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The deletion of old events', INTERVAL_MS, () => this.deleteBatch(), FIRST_RUN_MS);
  }

  /** Deletes the events that are too old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private async deleteBatch(): Promise<boolean> {
    for (const environment of ENVIRONMENTS) if ((await this.deleteOf(environment)) === BATCH) return true;
    return false;
  }

  private deleteOf(environment: Environment): Promise<number> {
    const { delivery_days: days } = this.settings.of(environment).retention;
    const old = this.events
      .createQueryBuilder('old')
      .where('old.environment = :environment', { environment })
      .andWhere('old.createdAt < :before', { before: new Date(this.clock.now() - days * DAY_MS) })
      .andWhere('NOT EXISTS (SELECT FROM webhook_dispatches owed WHERE owed.event_id = old.id)')
      .orderBy('old.createdAt');
    return deleteFirstUnlocked(old, BATCH);
  }
}
