import { Injectable } from '@nestjs/common';
import { hasScope, toPublicId, type EventPayload } from '#contracts';
import { Database } from '../core/database/database.service';
import { EVENT_DELIVERIES, type EventDeliveryRow } from '../core/events/event-deliveries.rows';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import type { EventDeliveryDto, EventDto } from './dto/event.dto';
import { READ_BODY } from './event-history.rows';
import { assertMaySee } from './event-selection';

/** Reads one event. */
@Injectable()
export class EventReader {
  constructor(private readonly database: Database) {}

  /** @throws ApiError RESOURCE_NOT_FOUND, INSUFFICIENT_PERMISSIONS */
  async read({ environment, scopes }: Caller, id: string): Promise<EventDto> {
    const [row] = await this.database.query<{ body: string }>(READ_BODY, [id, environment]);
    if (!row) throw ApiError.notFound('event', toPublicId('event', id));
    const { type, created_at, data } = JSON.parse(row.body) as EventPayload;
    assertMaySee(scopes, [type]);
    const event = { id: toPublicId('event', id), type, created_at, data: { ...data } };
    if (!hasScope(scopes, 'admin:settings')) return event;
    const deliveries = await this.database.query<EventDeliveryRow>(EVENT_DELIVERIES, [[id]]);
    return { ...event, deliveries: deliveries.map(toDelivery) };
  }
}

function toDelivery({
  id,
  webhook_id,
  event_id,
  created_at,
  next_retry_at,
  ...rest
}: EventDeliveryRow): EventDeliveryDto {
  return {
    id: toPublicId('delivery', id),
    webhook_id: toPublicId('webhook', webhook_id),
    event_id: toPublicId('event', event_id),
    ...rest,
    timestamp: created_at.toISOString(),
    next_retry_at: next_retry_at?.toISOString() ?? null,
  };
}
