import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { EVENT_TYPES } from '#contracts';
import { DeliveryDto } from './delivery.dto';
import { ALL_EVENTS } from './webhook-parameters';

export const WEBHOOK_STATUSES = ['active', 'disabled', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export class WebhookDto {
  @ApiId('webhook', 'Id of the webhook.')
  id!: string;

  @ApiProperty({
    format: 'uri',
    description: 'URL that receives the events.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string;

  @ApiProperty({
    enum: [...EVENT_TYPES, ALL_EVENTS],
    isArray: true,
    description: 'Subscribed event types; `*` for all.',
    example: ['message.received', 'message.failed'],
  })
  events!: string[];

  @ApiProperty({
    type: [String],
    description: 'Accounts whose events it gets; empty for all accounts.',
    example: [],
  })
  accounts!: string[];

  @ApiProperty({ description: 'Whether the webhook is enabled.', example: true })
  enabled!: boolean;

  @ApiProperty({
    enum: WEBHOOK_STATUSES,
    description:
      'Status of the webhook; only an active webhook receives events. `failed`: all retries of an event failed.',
  })
  status!: WebhookStatus;

  @ApiProperty({ format: 'date-time', description: 'When the webhook was registered.' })
  created_at!: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiPropertyOptional({
    description: 'Generated signing secret, shown only once; absent if the request named a secret.',
  })
  secret?: string;
}

export class WebhookDetailDto extends WebhookDto {
  @ApiProperty({ type: [DeliveryDto], description: 'Latest deliveries, newest first.' })
  recent_deliveries!: DeliveryDto[];
}

export class DeletedWebhookDto {
  @ApiId('webhook', 'Id of the webhook.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}
