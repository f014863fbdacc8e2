import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { EVENT_TYPES } from '#contracts';
import { DeliveryDto } from './delivery.dto';
import { ALL_EVENTS } from './webhook-parameters';

export const WEBHOOK_STATUSES = ['active', 'disabled', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export class WebhookDto {
  @ApiId('webhook', 'Webhook id.')
  id!: string;

  @ApiProperty({
    format: 'uri',
    description: 'Where events are posted to.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string;

  @ApiProperty({
    enum: [...EVENT_TYPES, ALL_EVENTS],
    isArray: true,
    description: 'The event types it is subscribed to; `*`: all.',
    example: ['message.received', 'message.failed'],
  })
  events!: string[];

  @ApiProperty({ description: 'False after it was disabled.', example: true })
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
  @ApiId('webhook', 'Webhook id.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}
