import { ApiProperty } from '@nestjs/swagger';
import { PLATFORMS, type Platform } from '#contracts';
import { PERIODS, type Period } from '../../core/clock/timeline';
import { Example } from '../../core/openapi/example.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

export class PlatformUsageQuery {
  @EnumField({
    words: Object.keys(PERIODS),
    optional: true,
    description: 'How far to look back: 24 hours (`1d`), or days in UTC, today included.',
  })
  period: Period = '7d';
}

@Example({ start: '2026-01-25T00:00:00.000Z' })
export class UsagePeriodDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the period.' })
  start!: string;

  @ApiProperty({ format: 'date-time', description: 'Now.' })
  end!: string;
}

export class PlatformUsageItemDto {
  @ApiProperty({ enum: PLATFORMS, description: 'The platform.', example: 'whatsapp' })
  platform!: Platform;

  @ApiProperty({ description: 'The category by which the platform bills.', example: 'service' })
  category!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Calling code; null where it is not known.',
    example: '+49',
  })
  country!: string | null;

  @ApiProperty({ type: 'integer', description: 'Messages, each part counted.', example: 120 })
  messages!: number;

  @ApiProperty({ type: 'integer', description: 'Messages that are billed.', example: 97 })
  billable!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars, by `platform_prices`; null where a billable message has no price there.',
    example: 1.0961,
  })
  cost_usd!: number | null;
}

export class PlatformUsageDto {
  @ApiProperty({ description: 'The period that the numbers cover.' })
  period!: UsagePeriodDto;

  @ApiProperty({ type: [PlatformUsageItemDto], description: 'The most expensive items first.' })
  items!: PlatformUsageItemDto[];
}
