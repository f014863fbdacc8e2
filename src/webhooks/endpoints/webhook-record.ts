import { toPublicId } from '#contracts';
import type { DeliveryDto } from '../dto/delivery.dto';
import type { WebhookDto } from '../dto/webhook.dto';
import type { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import type { WebhookEntity } from '../entities/webhook.entity';

/** A webhook as the API shows it. */
export function toWebhook({ id, url, events, status, createdAt }: WebhookEntity): WebhookDto {
  return {
    id: toPublicId('webhook', id),
    url,
    events,
    enabled: status !== 'disabled',
    status,
    created_at: createdAt.toISOString(),
  };
}

/** An attempt as the API shows it. */
export function toDelivery(delivery: Omit<WebhookDeliveryEntity, 'webhookId' | 'responseBody'>): DeliveryDto {
  return {
    id: toPublicId('delivery', delivery.id),
    event_id: toPublicId('event', delivery.eventId),
    event_type: delivery.eventType,
    attempt: delivery.attempt,
    status: delivery.status,
    response_code: delivery.responseCode,
    response_time_ms: delivery.responseTimeMs,
    timestamp: delivery.createdAt.toISOString(),
    error: delivery.error,
    next_retry_at: delivery.nextRetryAt?.toISOString() ?? null,
  };
}
