import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { deleteFirstUnlocked } from '../../core/database/first-unlocked';
import { EventEntity } from '../../core/events/event.entity';
import { SettingsService } from '../../core/settings/settings.service';
import { type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';

const FIRST_RUN_MS = 60_000;
const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Rows deleted by one statement: none holds its locks for long. */
const BATCH = 2_000;

/**
 * Deletes deliveries that are older than `retention.delivery_days`, and what is still to be delivered of events as old:
 * the events follow (EventRetention).
 */
@Injectable()
export class Retention {
  private readonly job: PeriodicJob;
  /** What this turn has not finished: to find that nothing is left of the others takes long. */
  private due = this.deletions();

  constructor(
    @InjectRepository(WebhookDispatchEntity) private readonly dispatches: Repository<WebhookDispatchEntity>,
    @InjectRepository(WebhookDeliveryEntity) private readonly deliveries: Repository<WebhookDeliveryEntity>,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The deletion of old deliveries', INTERVAL_MS, () => this.deleteBatch(), FIRST_RUN_MS);
  }

  /** Deletes what is too old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private async deleteBatch(): Promise<boolean> {
    for (let deletion; (deletion = this.due[0]);) {
      if ((await deletion()) === BATCH) return true;
      this.due.shift();
    }
    this.due = this.deletions();
    return false;
  }

  private deletions(): (() => Promise<number>)[] {
    return ENVIRONMENTS.flatMap((environment) => [
      () => this.deleteDispatches(environment, this.cutOff(environment)),
      () => this.deleteDeliveries(environment, this.cutOff(environment)),
    ]);
  }

  private deleteDispatches(environment: Environment, before: Date): Promise<number> {
    const old = this.dispatches
      .createQueryBuilder('old')
      .innerJoin(EventEntity, 'event', 'event.id = old.eventId')
      .where('event.environment = :environment AND event.createdAt < :before', { environment, before })
      .orderBy('event.createdAt');
    return deleteFirstUnlocked(old, BATCH);
  }

  /** Those of deleted webhooks belong to no environment any more. */
  private deleteDeliveries(environment: Environment, before: Date): Promise<number> {
    const old = this.deliveries
      .createQueryBuilder('old')
      .leftJoin(WebhookEntity, 'webhook', 'webhook.id = old.webhookId')
      .where('(webhook.id IS NULL OR webhook.environment = :environment)', { environment })
      .andWhere('old.createdAt < :before AND old.id < :first', { before, first: firstIdOf(before) })
      .orderBy('old.id');
    return deleteFirstUnlocked(old, BATCH);
  }

  private cutOff(environment: Environment): Date {
    const { delivery_days } = this.settings.of(environment).retention;
    return new Date(this.clock.now() - delivery_days * DAY_MS);
  }
}

/** The least UUIDv7 of a moment: ids are in the order of time, so the primary key finds what is older. */
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
