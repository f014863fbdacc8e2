import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '#contracts';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { SignalQueue } from '../../core/work/signals/signal-queue';
import { Subscriptions } from '../endpoints/subscriptions.service';
import { WEBHOOK_DISPATCH } from './webhook-dispatch.processor';

/** Wakes the dispatcher when an event was stored that a webhook is subscribed to. */
@Injectable()
export class WebhookDispatchListener {
  constructor(
    private readonly subscriptions: Subscriptions,
    @InjectQueue(WEBHOOK_DISPATCH) private readonly queue: SignalQueue,
  ) {}

  @OnDomainEvent(...EVENT_TYPES)
  onEvent(event: DomainEvent): void {
    if (this.subscriptions.includes(event)) this.queue.signal(event.environment);
  }
}
