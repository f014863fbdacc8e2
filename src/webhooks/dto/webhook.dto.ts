import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DeliveryDto } from './delivery.dto';

export const WEBHOOK_STATUSES = ['active', 'disabled', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export class WebhookDto {
  @ApiProperty({ description: 'Webhook id.', example: 'wh_01h455vb4pex5vsknk084sn02q' })
  id!: string;

  @ApiProperty({ format: 'uri', description: 'Where events are posted to.' })
  url!: string;

  @ApiProperty({ type: [String], description: 'The event types it is subscribed to; `*`: all.' })
  events!: string[];

  @ApiProperty({ description: 'False after it was disabled.' })
  enabled!: boolean;

  @ApiProperty({
    enum: WEBHOOK_STATUSES,
    description: 'Only an active one receives events. Failed: the last retry of an event failed.',
  })
  status!: WebhookStatus;

  @ApiProperty({ format: 'date-time', description: 'When it was registered.' })
  created_at!: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiPropertyOptional({ description: 'The signing secret, where none was given. Shown this once.' })
  secret?: string;
}

export class WebhookDetailDto extends WebhookDto {
  @ApiProperty({ type: [DeliveryDto], description: 'The newest deliveries, newest first.' })
  recent_deliveries!: DeliveryDto[];
}

export class DeletedWebhookDto {
  @ApiProperty({ description: 'Webhook id.', example: 'wh_01h455vb4pex5vsknk084sn02q' })
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}

export class EventTypeDto {
  @ApiProperty({ description: 'The type.', example: 'message.received' })
  type!: string;

  @ApiProperty({ description: 'When it is sent.' })
  description!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (draft 2020-12) of `data` of the event.',
  })
  schema!: Record<string, unknown>;
}
