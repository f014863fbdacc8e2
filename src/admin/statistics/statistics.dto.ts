import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PLATFORMS, type Platform } from '#contracts';
import { AccountFilter, EnumField } from '../../core/validation/fields/word-fields.decorator';
import { GROUPINGS, PERIODS, type Grouping, type Period } from '../../core/clock/timeline';
import { Example } from '../../core/openapi/example.decorator';

export class StatisticsQuery {
  @EnumField({
    words: Object.keys(PERIODS),
    optional: true,
    description: 'Period that ends now: the last 24 hours (`1d`), or the last UTC days including today.',
  })
  period: Period = '7d';

  @EnumField({ words: GROUPINGS, optional: true, description: 'Length of the buckets in `timeline`, in UTC.' })
  group_by: Grouping = 'day';

  @EnumField({
    words: ['usage'],
    optional: true,
    description: '`usage` adds `tokens` and `cost_usd` to the buckets of `timeline`.',
  })
  expand?: 'usage';

  @AccountFilter('figures')
  account_id?: string;
}

export class PeriodDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the period. It does not depend on `group_by`.' })
  start!: string;

  @ApiProperty({ format: 'date-time', description: 'Now.' })
  end!: string;
}

export class TotalsDto {
  @ApiProperty({ type: 'integer', description: 'Number of messages in both directions.', example: 42 })
  messages!: number;

  @ApiProperty({ type: 'integer', description: 'Number of conversations with a message in the period.', example: 7 })
  conversations!: number;

  @ApiProperty({ type: 'integer', description: 'Input and output tokens of the AI.', example: 5_670 })
  tokens!: number;

  @ApiProperty({ description: 'Cost of the AI, in US dollars.', example: 0.031 })
  cost_usd!: number;
}

export class TimelineItemDto {
  @ApiProperty({
    format: 'date',
    description: 'Day of the bucket in UTC; for a week, its Monday.',
    example: '2026-01-05',
  })
  date!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 23,
    description: 'Hour of the day; only with `group_by=hour`.',
  })
  hour?: number;

  @ApiProperty({ type: 'integer', description: 'Number of messages in the bucket.', example: 42 })
  messages!: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Input and output tokens of the AI; only with `expand=usage`.',
    example: 5_670,
  })
  tokens?: number;

  @ApiPropertyOptional({ description: 'Cost of the AI, in US dollars; only with `expand=usage`.', example: 0.031 })
  cost_usd?: number;
}

@Example({
  period: { start: '2026-01-30T00:00:00.000Z', end: '2026-01-31T12:00:00.000Z' },
  by_platform: { whatsapp: 18, telegram: 24, discord: 0 },
  timeline: [
    { date: '2026-01-30', messages: 25 },
    { date: '2026-01-31', messages: 17 },
  ],
})
export class StatisticsDto {
  @ApiProperty({ description: 'Period of the statistics. It does not depend on `group_by`.' })
  period!: PeriodDto;

  @ApiProperty({ description: 'Totals of the whole period.' })
  totals!: TotalsDto;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(
      PLATFORMS.map((platform) => [platform, { type: 'integer', description: `Number of messages on ${platform}.` }]),
    ),
    required: [...PLATFORMS],
    selfRequired: true,
    description: 'Number of messages by platform.',
    example: Object.fromEntries(PLATFORMS.map((platform, index) => [platform, 12 * index])),
  })
  by_platform!: Record<Platform, number>;

  @ApiProperty({
    type: [TimelineItemDto],
    description:
      'All buckets, oldest first, including empty ones. A first week or day that begins before the period counts only messages of the period.',
  })
  timeline!: TimelineItemDto[];
}
