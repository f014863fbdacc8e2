import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { constraint, field } from '../../core/validation/fields/field.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

export const USAGE_GROUPS = ['day', 'model', 'account', 'key', 'conversation'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** PostgreSQL reads an offset such as `+02:00` with the opposite sign. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string' || !ZONE_NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

export class AiUsageQuery {
  @TimeField({
    optional: true,
    description:
      'Start of the period: a day of the time zone, or a timestamp. Usage is counted by UTC hour, so the whole hour that contains the timestamp counts. Default: 30 days, of which the last is that of the end.',
    example: '2026-01-01',
  })
  start_date?: string;

  @TimeField({
    optional: true,
    notBefore: 'start_date',
    description:
      'End of the period: a whole day of the time zone, or a timestamp, whose whole UTC hour counts. Default: now.',
    example: '2026-01-31',
  })
  end_date?: string;

  @field(
    { type: 'string', minLength: 1, maxLength: 64, pattern: ZONE_NAME.source },
    { optional: true, description: 'IANA name of the time zone of days.', example: 'Europe/Berlin' },
    constraint('timeZone', 'must be the IANA name of a time zone', isTimeZone),
  )
  time_zone: string = 'UTC';

  @EnumField({
    words: [...USAGE_GROUPS],
    optional: true,
    description:
      'What each item is about. `key` also requires the scope `admin:settings`, `conversation` (the 100 dearest) `read:conversations`.',
  })
  group_by: UsageGroup = 'day';
}

@Example({ start: '2026-01-01T23:00:00.000Z' })
export class ReportPeriodDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the period.' })
  start!: string;

  @ApiProperty({ format: 'date-time', description: 'End of the period, which is not part of it.' })
  end!: string;
}

export class AiUsageItemDto {
  @ApiPropertyOptional({ format: 'date', description: 'Day of the time zone; with `group_by=day`.' })
  day?: string;

  @ApiPropertyOptional({ description: 'Model; with `group_by=model`.', example: 'claude-sonnet-5-5' })
  model?: string;

  @ApiId('account', 'Account of the conversation; null for requests without a conversation. With `group_by=account`.', {
    nullable: true,
    required: false,
  })
  account?: string | null;

  @ApiId('api_key', 'Key that asked; null for replies of the assistant. With `group_by=key`.', {
    nullable: true,
    required: false,
  })
  key?: string | null;

  @ApiId('conversation', 'Conversation, also after its erasure; with `group_by=conversation`.', { required: false })
  conversation?: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of answers, including interrupted and empty ones.',
    example: 21,
  })
  requests!: number;

  @ApiProperty({ type: 'integer', description: 'Input and output tokens.', example: 5_670 })
  tokens!: number;

  @ApiProperty({ description: 'Cost by the price table, in US dollars.', example: 0.031 })
  cost_usd!: number;
}

export class AiUsageReportDto {
  @ApiProperty({ description: 'Period of the items.' })
  period!: ReportPeriodDto;

  @ApiProperty({
    type: [AiUsageItemDto],
    description: 'Days with usage, oldest first; other groups are sorted by cost, highest first.',
    example: [{ day: '2026-01-31', requests: 21, tokens: 5_670, cost_usd: 0.031 }],
  })
  items!: AiUsageItemDto[];
}
