import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { EVENT_TYPES } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { Flag, ISO_TIME_PATTERN, IsoTime, Optional, Text } from '../../core/validation/parameters.decorator';
import { MAX_URL_LENGTH } from '../guard/receiver-guard.service';
import { ALL_EVENTS, EventTypes, MAX_SECRET_LENGTH, MIN_SECRET_LENGTH, Secret } from './webhook-parameters';

const EVENTS_SCHEMA: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'string', enum: [...EVENT_TYPES, ALL_EVENTS] },
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The event types it is subscribed to, or `*` alone for all.',
  example: ['message.received', 'message.failed'],
};

export class CreateWebhookDto {
  @ApiProperty({
    format: 'uri',
    maxLength: MAX_URL_LENGTH,
    description: 'Where events are posted to: `https:`, and no private network.',
    example: 'https://example.com/hooks/gateway',
  })
  @Text(MAX_URL_LENGTH)
  url!: string;

  @ApiProperty(EVENTS_SCHEMA)
  @EventTypes()
  events!: string[];

  @ApiPropertyOptional({
    minLength: MIN_SECRET_LENGTH,
    maxLength: MAX_SECRET_LENGTH,
    description: 'The signing secret. Left out, one is made and returned once.',
    writeOnly: true,
  })
  @Optional()
  @Secret()
  secret?: string;
}

@AtLeastOneOf('url', 'events', 'enabled', 'secret')
export class UpdateWebhookDto {
  @ApiPropertyOptional({ format: 'uri', maxLength: MAX_URL_LENGTH, description: 'Where events are posted to.' })
  @Optional()
  @Text(MAX_URL_LENGTH)
  url?: string;

  @ApiPropertyOptional(EVENTS_SCHEMA)
  @Optional()
  @EventTypes()
  events?: string[];

  @ApiPropertyOptional({ description: 'False disables it; true makes it active again, also after it has failed.' })
  @Optional()
  @Flag()
  enabled?: boolean;

  @ApiPropertyOptional({
    minLength: MIN_SECRET_LENGTH,
    maxLength: MAX_SECRET_LENGTH,
    description: 'A new signing secret. For 24 hours the former one signs as well.',
    writeOnly: true,
  })
  @Optional()
  @Secret()
  secret?: string;
}

export class ReplayDto {
  @ApiProperty({
    pattern: ISO_TIME_PATTERN,
    description: 'Events since then are sent again: an ISO 8601 date or timestamp.',
    example: '2026-01-01T00:00:00Z',
  })
  @IsoTime()
  since!: string;
}
