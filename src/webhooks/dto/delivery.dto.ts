import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

const DELIVERY_STATUSES = ['success', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export class DeliveryDto {
  @ApiId('delivery', 'Delivery id: one attempt.')
  id!: string;

  @ApiId('event', 'The event, the same at each attempt.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt it was.' })
  attempt!: number;

  @ApiProperty({ enum: DELIVERY_STATUSES, description: 'Success: the receiver answered 2xx.' })
  status!: DeliveryStatus;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the answer; null without one.',
    example: 204,
  })
  response_code!: number | null;

  @ApiProperty({ type: 'integer', description: 'How long the exchange took, in milliseconds.', example: 87 })
  response_time_ms!: number;

  @ApiProperty({ format: 'date-time', description: 'When the attempt was made.' })
  timestamp!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next attempt follows; null once none will.',
  })
  next_retry_at!: string | null;
}

const HEADERS = { type: 'object', additionalProperties: { type: 'string' } } as const;

export class DeliveryRequestDto {
  @ApiProperty({ format: 'uri', description: 'Where it went.', example: 'https://example.com/hooks/gateway' })
  url!: string;

  @ApiProperty({
    ...HEADERS,
    description: 'Its headers, by their names in lower case. The values of signatures are masked.',
    example: { 'content-type': 'application/json; charset=utf-8', 'x-service-signature': 'sha256=********' },
  })
  headers!: Record<string, string>;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The exact text that was sent; null when the event is no longer kept.',
    example: '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"message.received"}',
  })
  body!: string | null;
}

export class DeliveryResponseDto {
  @ApiProperty({ ...HEADERS, description: 'Its headers, by their names in lower case.', example: { server: 'nginx' } })
  headers!: Record<string, string>;

  @ApiProperty({ description: 'The first 4 KiB.', example: 'ok' })
  body!: string;
}

export class DeliveryDetailDto extends DeliveryDto {
  @ApiProperty({ description: 'What was sent.' })
  request!: DeliveryRequestDto;

  @ApiProperty({ type: DeliveryResponseDto, nullable: true, description: 'What came back; null without an answer.' })
  response!: DeliveryResponseDto | null;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = { created_at: 'createdAt', timestamp: 'createdAt', response_time_ms: 'responseTimeMs' };

export class DeliveryListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @EnumField({ words: DELIVERY_STATUSES, optional: true, description: 'Only deliveries with this outcome.' })
  status?: DeliveryStatus;

  @EnumField({ words: EVENT_TYPES, optional: true, description: 'Only deliveries of events of this type.' })
  event_type?: EventType;
}

export class RedeliveryDto {
  @ApiId('webhook', 'Webhook id.')
  webhook_id!: string;

  @ApiId('event', 'The event that is sent again.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({ enum: ['pending'], description: 'It is on its way; the attempt appears among the deliveries.' })
  status!: 'pending';
}

@Example({ since: '2026-01-31T09:00:00.000Z' })
export class ReplayedDto {
  @ApiId('webhook', 'Webhook id.')
  webhook_id!: string;

  @ApiProperty({ format: 'date-time', description: 'Since when.' })
  since!: string;

  @ApiProperty({ type: 'integer', description: 'How many events are sent again.', example: 3 })
  events_queued!: number;
}
