import { toPublicId } from '#contracts';
import type { AuditEntryEntity } from '../admin/audit/audit-entry.entity';
import type { EventDeliveryRow } from '../core/events/event-deliveries.rows';
import type { TimelineStepDto } from './dto/timeline.dto';
import type { ChainEvent } from './timeline.rows';

/** The steps of events, their deliveries to webhooks, and the audit log. */
export function recordSteps(
  events: readonly ChainEvent[],
  deliveries: readonly EventDeliveryRow[],
  audit: readonly AuditEntryEntity[],
): TimelineStepDto[] {
  return [...events.map(eventStep), ...deliveries.map(webhookStep), ...audit.map(auditStep)];
}

function eventStep({ id, type, created_at, message_id }: ChainEvent): TimelineStepDto {
  return {
    at: created_at.toISOString(),
    step: 'event',
    title: `Event ${type}`,
    data: {
      event_id: toPublicId('event', id),
      type,
      message_id: message_id === null ? null : toPublicId('message', message_id),
    },
  };
}

function webhookStep(row: EventDeliveryRow): TimelineStepDto {
  const { attempt, status, response_code, response_time_ms, url, error, next_retry_at } = row;
  const host = url === null ? 'a receiver' : (URL.parse(url)?.host ?? url);
  const webhook = toPublicId('webhook', row.webhook_id);
  const said = response_code ?? error ?? status;
  const again = next_retry_at ? '; it will be retried' : '';
  return {
    at: row.created_at.toISOString(),
    step: 'webhook',
    title: `Posted ${row.event_type} to ${host} (${webhook}): ${said} after ${response_time_ms} ms${again}`,
    data: {
      delivery_id: toPublicId('delivery', row.id),
      webhook_id: webhook,
      event_id: toPublicId('event', row.event_id),
      event_type: row.event_type,
      url,
      attempt,
      status,
      response_code,
      response_time_ms,
      error,
      next_retry_at: next_retry_at?.toISOString() ?? null,
    },
  };
}

function auditStep(row: AuditEntryEntity): TimelineStepDto {
  const { method, path, route, status } = row;
  return {
    at: row.createdAt.toISOString(),
    step: 'audit',
    title: `${method} ${route ?? path}: ${status}`,
    data: {
      entry_id: toPublicId('audit_entry', row.id),
      request_id: toPublicId('request', row.requestId),
      key_id: row.apiKeyId === null ? null : toPublicId('api_key', row.apiKeyId),
      masked_key: row.maskedKey,
      method,
      path,
      route,
      status,
      client_ip: row.clientIp,
      duration_ms: row.durationMs,
    },
  };
}
