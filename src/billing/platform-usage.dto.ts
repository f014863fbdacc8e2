import { ApiProperty } from '@nestjs/swagger';
import { PLATFORMS, type Platform } from '#contracts';
import { PERIODS, type Period } from '../core/clock/timeline';
import { Example } from '../core/openapi/example.decorator';
import { EnumField } from '../core/validation/fields/word-fields.decorator';

export class PlatformUsageQuery {
  @EnumField({
    words: Object.keys(PERIODS),
    optional: true,
    description: 'Period that ends now: the last 24 hours (`1d`), or the last UTC days including today.',
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
  @ApiProperty({ enum: PLATFORMS, description: 'Name of the platform.', example: 'whatsapp' })
  platform!: Platform;

  @ApiProperty({ description: 'Category by which the platform bills.', example: 'service' })
  category!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Calling code of the country; null if unknown.',
    example: '+49',
  })
  country!: string | null;

  @ApiProperty({ type: 'integer', description: 'Number of messages; each part counts.', example: 120 })
  messages!: number;

  @ApiProperty({ type: 'integer', description: 'Number of billable messages.', example: 97 })
  billable!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Cost in US dollars by `platform_prices`; null if a billable message has no price there.',
    example: 1.0961,
  })
  cost_usd!: number | null;
}

export class PlatformUsageDto {
  @ApiProperty({ description: 'Period of the numbers.' })
  period!: UsagePeriodDto;

  @ApiProperty({ type: [PlatformUsageItemDto], description: 'Items, highest cost first.' })
  items!: PlatformUsageItemDto[];
}
