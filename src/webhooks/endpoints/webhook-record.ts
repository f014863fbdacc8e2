import { toPublicId } from '#contracts';
import { maskedAttemptHeaders } from '../dispatch/attempt-headers';
import type { DeliveryDetailDto, DeliveryDto } from '../dto/delivery.dto';
import type { WebhookDto } from '../dto/webhook.dto';
import type { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import type { WebhookEntity } from '../entities/webhook.entity';

/** A webhook as the API shows it. */
export function toWebhook({ id, url, events, accounts, status, createdAt }: WebhookEntity): WebhookDto {
  return {
    id: toPublicId('webhook', id),
    url,
    events,
    accounts,
    enabled: status !== 'disabled',
    status,
    created_at: createdAt.toISOString(),
  };
}

/** Fields of a single delivery, beyond those in a list. */
type ExchangeColumn = 'url' | 'signedTwice' | 'responseHeaders' | 'responseBody';

/** An attempt as the API shows it. */
export function toDelivery(delivery: Omit<WebhookDeliveryEntity, 'webhookId' | ExchangeColumn>): DeliveryDto {
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

/** An attempt with its exchange. @param body of the event, if it is still kept */
export function toDeliveryDetail(
  delivery: WebhookDeliveryEntity,
  { url, body }: { url: string; body: string | null },
): DeliveryDetailDto {
  const { id: deliveryId, eventId, eventType, createdAt, signedTwice, responseCode } = delivery;
  const headers = maskedAttemptHeaders({ deliveryId, eventId, eventType, now: createdAt.getTime() }, signedTwice);
  return {
    ...toDelivery(delivery),
    request: { url, headers, body },
    response:
      responseCode === null ? null : { headers: delivery.responseHeaders ?? {}, body: delivery.responseBody ?? '' },
  };
}
