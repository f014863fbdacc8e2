import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { EventEntity } from '../../core/events/event.entity';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { Work } from '../../core/work/work.service';
import { WEBHOOKS } from '../dispatch/webhook-work.service';
import type { RedeliveryDto } from '../dto/delivery.dto';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';
import { mustBeActive } from './endpoint-rules';

/** Begins a new round. A worker with the old fence still records its attempt, but changes nothing else. */
const NEW_ROUND = {
  state: 'pending',
  retries: 0,
  nextAt: () => 'now()',
  leaseUntil: null,
  fence: () => 'fence + 1',
} as const;

/** Sends the event of one delivery again. */
@Injectable()
export class Redelivery {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    @InjectRepository(WebhookDeliveryEntity) private readonly deliveries: Repository<WebhookDeliveryEntity>,
    @InjectRepository(WebhookDispatchEntity) private readonly dispatches: Repository<WebhookDispatchEntity>,
    private readonly work: Work,
  ) {}

  async redeliver(environment: Environment, webhookId: string, deliveryId: string): Promise<RedeliveryDto> {
    mustBeActive(webhookId, await this.webhooks.findOneBy({ id: webhookId, environment }));
    const delivery = await this.deliveries.findOneBy({ id: deliveryId, webhookId });
    if (!delivery || !(await this.beginNewRound(delivery))) {
      throw ApiError.notFound('delivery', toPublicId('delivery', deliveryId));
    }
    this.work.wake(WEBHOOKS, environment, webhookId);
    return {
      webhook_id: toPublicId('webhook', webhookId),
      event_id: toPublicId('event', delivery.eventId),
      event_type: delivery.eventType,
      status: 'pending',
    };
  }

  /** @returns false when the event is no longer stored */
  private async beginNewRound({ eventId, webhookId }: WebhookDeliveryEntity): Promise<boolean> {
    if (!(await this.dispatches.manager.existsBy(EventEntity, { id: eventId }))) return false;
    const { affected } = await this.dispatches.update({ eventId, webhookId }, NEW_ROUND);
    return affected === 1;
  }
}
