import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '#contracts';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { Work } from '../../core/work/work.service';
import { Subscriptions } from '../endpoints/subscriptions.service';
import { WEBHOOKS } from './webhook-work.service';

/** Wakes the webhooks that are subscribed to an event when it was stored. */
@Injectable()
export class WebhookDispatchListener {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly work: Work,
  ) {}

  @OnDomainEvent(...EVENT_TYPES)
  onEvent(event: DomainEvent): void {
    for (const id of this.subscriptions.of(event)) this.work.wake(WEBHOOKS, event.environment, id);
  }
}
