import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '#contracts';
import { DatedListQuery } from '../../core/http/list-query.dto';
import { OneOf, Optional } from '../../core/http/parameters';

export const DELIVERY_STATUSES = ['success', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export class DeliveryDto {
  @ApiProperty({ description: 'Delivery id: one attempt.', example: 'del_01h455vb4pex5vsknk084sn02q' })
  id!: string;

  @ApiProperty({ description: 'The event, the same at each attempt.', example: 'evt_01h455vb4pex5vsknk084sn02q' })
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt it was.' })
  attempt!: number;

  @ApiProperty({ enum: DELIVERY_STATUSES, description: 'Success: the receiver answered 2xx.' })
  status!: DeliveryStatus;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status of the answer; null without one.' })
  response_code!: number | null;

  @ApiProperty({ type: 'integer', description: 'How long the exchange took, in milliseconds.' })
  response_time_ms!: number;

  @ApiProperty({ format: 'date-time', description: 'When the attempt was made.' })
  timestamp!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the next attempt follows.' })
  next_retry_at!: string | null;
}

export class DeliveryListQuery extends DatedListQuery {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES, description: 'Only deliveries with this outcome.' })
  @Optional()
  @OneOf(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @ApiPropertyOptional({ enum: EVENT_TYPES, description: 'Only deliveries of events of this type.' })
  @Optional()
  @OneOf(EVENT_TYPES)
  event_type?: EventType;
}

export class RedeliveryDto {
  @ApiProperty({ description: 'Webhook id.', example: 'wh_01h455vb4pex5vsknk084sn02q' })
  webhook_id!: string;

  @ApiProperty({ description: 'The event that is sent again.', example: 'evt_01h455vb4pex5vsknk084sn02q' })
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({ enum: ['pending'], description: 'It is on its way; the attempt appears among the deliveries.' })
  status!: 'pending';
}

export class ReplayedDto {
  @ApiProperty({ description: 'Webhook id.', example: 'wh_01h455vb4pex5vsknk084sn02q' })
  webhook_id!: string;

  @ApiProperty({ format: 'date-time', description: 'Since when.' })
  since!: string;

  @ApiProperty({ type: 'integer', description: 'How many events are sent again.' })
  events_queued!: number;
}
