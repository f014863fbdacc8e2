import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { DomainEvent } from '../../core/events/domain-event';
import { Timers } from '../../core/work/timers/timers.service';
import { ALL_EVENTS } from '../dto/webhook-parameters';
import { WebhookEntity } from '../entities/webhook.entity';

/** Another instance may create a webhook: until this one reads it, its dispatches wait for the sweep, a second at most. */
const INTERVAL_MS = 10_000;

/** Knows which webhooks to wake for an event. The statement that stores the event decides which dispatches it has. */
@Injectable()
export class Subscriptions {
  private active: readonly Pick<WebhookEntity, 'id' | 'environment' | 'events'>[] = [];

  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    timers: Timers,
  ) {
    timers.every('Webhook subscription refresh', INTERVAL_MS, () => this.refresh(), {
      scope: 'process',
      firstMs: 0,
    });
  }

  async refresh(): Promise<void> {
    this.active = await this.webhooks.find({
      where: { status: 'active' },
      select: { id: true, environment: true, events: true },
    });
  }

  /** @returns the ids of the webhooks that an event goes to */
  of({ environment, type }: DomainEvent): string[] {
    return this.active
      .filter(
        (webhook) =>
          webhook.environment === environment && (webhook.events.includes(type) || webhook.events.includes(ALL_EVENTS)),
      )
      .map(({ id }) => id);
  }
}
