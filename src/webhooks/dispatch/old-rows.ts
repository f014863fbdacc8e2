import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Environment } from '#contracts';
import { EventEntity } from '../../core/events/event.entity';
import { firstIdOf } from '../../core/events/id-times';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';

/** Dispatches of events that are too old: the events are deleted after them. */
export function oldDispatches(
  environment: Environment | null,
  rows: EntityManager,
  before: Date,
): SelectQueryBuilder<WebhookDispatchEntity> {
  return rows
    .createQueryBuilder(WebhookDispatchEntity, 'old')
    .innerJoin(EventEntity, 'event', 'event.id = old.eventId')
    .where('event.environment = :environment AND event.createdAt < :before', { environment, before })
    .orderBy('event.createdAt');
}

/** Deliveries that are too old. Those of deleted webhooks belong to no environment. */
export function oldDeliveries(
  environment: Environment | null,
  rows: EntityManager,
  before: Date,
): SelectQueryBuilder<WebhookDeliveryEntity> {
  return rows
    .createQueryBuilder(WebhookDeliveryEntity, 'old')
    .leftJoin(WebhookEntity, 'webhook', 'webhook.id = old.webhookId')
    .where('(webhook.id IS NULL OR webhook.environment = :environment)', { environment })
    .andWhere('old.createdAt < :before AND old.id < :first', { before, first: firstIdOf(before) })
    .orderBy('old.id');
}
