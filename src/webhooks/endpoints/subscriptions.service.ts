import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { DomainEvent } from '../../core/events/domain-event';
import { PeriodicJobs } from '../../core/work/periodic-jobs.service';
import { ALL_EVENTS } from '../dto/webhook-parameters';
import { WebhookEntity } from '../entities/webhook.entity';

/** Another instance may make a webhook: until this one knows of it, its dispatches wait for the sweep, a second at most. */
const INTERVAL_MS = 10_000;

/**
 * Which events any webhook is subscribed to. It only decides whether an event wakes the dispatcher: which dispatches an
 * event has is decided by the statement that stores it.
 */
@Injectable()
export class Subscriptions {
  private active: readonly Pick<WebhookEntity, 'environment' | 'events'>[] = [];

  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The look at the subscriptions of webhooks', INTERVAL_MS, () => this.refresh(), 0);
  }

  async refresh(): Promise<void> {
    this.active = await this.webhooks.find({
      where: { status: 'active' },
      select: { environment: true, events: true },
    });
  }

  includes({ environment, type }: DomainEvent): boolean {
    return this.active.some(
      (webhook) =>
        webhook.environment === environment && (webhook.events.includes(type) || webhook.events.includes(ALL_EVENTS)),
    );
  }
}
