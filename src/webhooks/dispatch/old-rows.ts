import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Environment } from '#contracts';
import { EventEntity } from '../../core/events/event.entity';
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

/** The least UUIDv7 of a moment: ids are in the order of time, so the primary key finds older rows. */
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
