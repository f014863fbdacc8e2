import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_EXAMPLES, EVENT_TYPES, type EventType } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';

export class EventDeliveryDto {
  @ApiId('delivery', 'Id of the delivery (one attempt).')
  id!: string;

  @ApiId('webhook', 'Id of the webhook.')
  webhook_id!: string;

  @ApiId('event', 'Id of the event.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'URL that received the POST.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt.' })
  attempt!: number;

  @ApiProperty({ enum: ['success', 'failed'], description: 'Outcome; `success` means that the receiver answered 2xx.' })
  status!: 'success' | 'failed';

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

const SCALAR = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
const values = (deeper: object[]) => ({
  nullable: true,
  anyOf: [...SCALAR.anyOf, { type: 'array', items: { anyOf: [...SCALAR.anyOf, ...deeper] } }, ...deeper],
});
const objectOf = (value: object) => ({ type: 'object' as const, additionalProperties: value });

export class EventDto {
  @ApiId('event', 'Id of the event.')
  id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  type!: EventType;

  @ApiProperty({ format: 'date-time', description: 'When the event happened.' })
  created_at!: string;

  @ApiProperty({
    ...objectOf(values([objectOf(values([objectOf(values([]))]))])),
    description: 'Data of the event, as webhooks get it; `GET /event-types` has the schema of each type.',
    example: EVENT_EXAMPLES[EVENT_TYPES[0]!],
  })
  data!: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [EventDeliveryDto],
    description: 'Attempts to deliver the event to webhooks, oldest first; only with the scope `admin:settings`.',
  })
  deliveries?: EventDeliveryDto[];
}
