import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INTEGRATION_STATUSES, PLATFORMS, type IntegrationStatus, type Platform } from '#contracts';
import { Example } from '../../core/openapi/example.decorator';
import { DirectionsDto } from './direction.dto';

@Example({ platform: 'telegram', connected_at: '2026-01-15T09:13:02.118Z' })
export class IntegrationDto extends DirectionsDto {
  @ApiProperty({ enum: PLATFORMS, description: 'The platform.' })
  platform!: Platform;

  @ApiProperty({
    enum: INTEGRATION_STATUSES,
    description: '`connected` is proven: the gateway heard from the platform recently.',
  })
  status!: IntegrationStatus;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The account of the gateway at the platform.',
    example: { bot_username: 'acme_bot', bot_id: '123456789' },
  })
  details!: Record<string, string>;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was last connected; null if never.',
  })
  connected_at!: string | null;

  @ApiPropertyOptional({ description: 'Why it is not connected.', example: 'not configured' })
  error?: string;
}

export class ReconnectionDto {
  @ApiProperty({ enum: PLATFORMS, description: 'The platform.' })
  platform!: Platform;

  @ApiProperty({ enum: ['reconnecting'], description: 'Always `reconnecting`.' })
  status!: 'reconnecting';

  @ApiProperty({
    description: 'What to do next.',
    example: 'Reconnection has started. Check the status again in 30 seconds.',
  })
  message!: string;
}
