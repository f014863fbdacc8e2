import { toPublicId, type Environment, type EventType } from '#contracts';
import type { DeliveryDto, DeliveryStatus } from '../dto/delivery.dto';
import type { WebhookDto, WebhookStatus } from '../dto/webhook.dto';

export const WEBHOOK_COLUMNS = 'id, environment, url, events, status, created_at';

export interface WebhookRow {
  id: string;
  environment: Environment;
  url: string;
  events: string[];
  status: WebhookStatus;
  created_at: Date;
}

export function toWebhook({ id, url, events, status, created_at }: WebhookRow): WebhookDto {
  return {
    id: toPublicId('webhook', id),
    url,
    events,
    enabled: status !== 'disabled',
    status,
    created_at: created_at.toISOString(),
  };
}

export const DELIVERY_COLUMNS = `id, event_id, event_type, attempt, status, response_code, response_time_ms, created_at, error,
  next_retry_at`;

export interface DeliveryRow {
  id: string;
  event_id: string;
  event_type: EventType;
  attempt: number;
  status: DeliveryStatus;
  response_code: number | null;
  response_time_ms: number;
  created_at: Date;
  error: string | null;
  next_retry_at: Date | null;
}

export function toDelivery(row: DeliveryRow): DeliveryDto {
  return {
    id: toPublicId('delivery', row.id),
    event_id: toPublicId('event', row.event_id),
    event_type: row.event_type,
    attempt: row.attempt,
    status: row.status,
    response_code: row.response_code,
    response_time_ms: row.response_time_ms,
    timestamp: row.created_at.toISOString(),
    error: row.error,
    next_retry_at: row.next_retry_at?.toISOString() ?? null,
  };
}
