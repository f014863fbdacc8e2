import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_EXAMPLES, EVENT_TYPES, type EventType } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';

export class EventDeliveryDto {
  @ApiId('delivery', 'Delivery id: one attempt.')
  id!: string;

  @ApiId('webhook', 'The webhook.')
  webhook_id!: string;

  @ApiId('event', 'The event.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Where it was posted.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt it was.' })
  attempt!: number;

  @ApiProperty({ enum: ['success', 'failed'], description: 'Success: the receiver answered 2xx.' })
  status!: 'success' | 'failed';

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

const SCALAR = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
const values = (deeper: object[]) => ({
  nullable: true,
  anyOf: [...SCALAR.anyOf, { type: 'array', items: { anyOf: [...SCALAR.anyOf, ...deeper] } }, ...deeper],
});
const objectOf = (value: object) => ({ type: 'object' as const, additionalProperties: value });

export class EventDto {
  @ApiId('event', 'Event id.')
  id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Its type.' })
  type!: EventType;

  @ApiProperty({ format: 'date-time', description: 'When it happened.' })
  created_at!: string;

  @ApiProperty({
    ...objectOf(values([objectOf(values([objectOf(values([]))]))])),
    description: "What webhooks get; `GET /event-types` has each type's schema.",
    example: EVENT_EXAMPLES[EVENT_TYPES[0]!],
  })
  data!: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [EventDeliveryDto],
    description: 'The attempts to post it to webhooks, oldest first; only with the scope `admin:settings`.',
  })
  deliveries?: EventDeliveryDto[];
}
