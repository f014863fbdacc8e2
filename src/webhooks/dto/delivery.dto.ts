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
  @ApiId('delivery', 'Id of the delivery (one attempt).')
  id!: string;

  @ApiId('event', 'Id of the event, the same for each attempt.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt.' })
  attempt!: number;

  @ApiProperty({ enum: DELIVERY_STATUSES, description: 'Outcome; `success` means that the receiver answered 2xx.' })
  status!: DeliveryStatus;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the response; null if there was none.',
    example: 204,
  })
  response_code!: number | null;

  @ApiProperty({ type: 'integer', description: 'Duration of the request and response, in milliseconds.', example: 87 })
  response_time_ms!: number;

  @ApiProperty({ format: 'date-time', description: 'When the attempt was made.' })
  timestamp!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Why the attempt failed.' })
  error!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next attempt is due; null if there is none.',
  })
  next_retry_at!: string | null;
}

const HEADERS = { type: 'object', additionalProperties: { type: 'string' } } as const;

export class DeliveryRequestDto {
  @ApiProperty({
    format: 'uri',
    description: 'URL that received the POST.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string;

  @ApiProperty({
    ...HEADERS,
    description: 'Headers of the request, with names in lower case. Signatures are masked.',
    example: { 'content-type': 'application/json; charset=utf-8', 'x-service-signature': 'sha256=********' },
  })
  headers!: Record<string, string>;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Raw body of the request; null once the event has been deleted.',
    example: '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"message.received"}',
  })
  body!: string | null;
}

export class DeliveryResponseDto {
  @ApiProperty({
    ...HEADERS,
    description: 'Headers of the response, with names in lower case.',
    example: { server: 'nginx' },
  })
  headers!: Record<string, string>;

  @ApiProperty({ description: 'First 4 KiB of the body.', example: 'ok' })
  body!: string;
}

export class DeliveryDetailDto extends DeliveryDto {
  @ApiProperty({ description: 'Request of the attempt.' })
  request!: DeliveryRequestDto;

  @ApiProperty({
    type: DeliveryResponseDto,
    nullable: true,
    description: 'Response of the receiver; null if there was none.',
  })
  response!: DeliveryResponseDto | null;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = { created_at: 'createdAt', timestamp: 'createdAt', response_time_ms: 'responseTimeMs' };

export class DeliveryListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @EnumField({ words: DELIVERY_STATUSES, optional: true, description: 'Return only deliveries with this outcome.' })
  status?: DeliveryStatus;

  @EnumField({ words: EVENT_TYPES, optional: true, description: 'Return only deliveries of events of this type.' })
  event_type?: EventType;
}

export class RedeliveryDto {
  @ApiId('webhook', 'Id of the webhook.')
  webhook_id!: string;

  @ApiId('event', 'Id of the event that is sent again.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({
    enum: ['pending'],
    description: 'The delivery is queued; its attempt will appear among the deliveries.',
  })
  status!: 'pending';
}

@Example({ since: '2026-01-31T09:00:00.000Z' })
export class ReplayedDto {
  @ApiId('webhook', 'Id of the webhook.')
  webhook_id!: string;

  @ApiProperty({ format: 'date-time', description: 'Start of the replay.' })
  since!: string;

  @ApiProperty({ type: 'integer', description: 'Number of events that are sent again.', example: 3 })
  events_queued!: number;
}
