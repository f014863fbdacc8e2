import { ApiProperty } from '@nestjs/swagger';
import { PERIODS, type Period } from '../../core/clock/timeline';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';
import { Example } from '../../core/openapi/example.decorator';

export class KeyUsageQuery {
  @EnumField({
    words: Object.keys(PERIODS),
    optional: true,
    description: 'Period that ends now: the last 24 hours (`1d`), or the last UTC days including today.',
  })
  period: Period = '7d';
}

export class KeyUsagePeriodDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the period.' })
  start!: string;

  @ApiProperty({ format: 'date-time', description: 'Now.' })
  end!: string;
}

const requests = ApiProperty({
  type: 'integer',
  description: 'Number of requests with the key, including refused ones.',
  example: 420,
});
const refusals = ApiProperty({
  type: 'integer',
  description: 'Number of refused requests (401, 403 or 429).',
  example: 3,
});
const cost = ApiProperty({ description: 'Cost of the AI, in US dollars.', example: 0.031 });

export class KeyModelUsageDto {
  @ApiProperty({
    description: 'Name of the model, or `other` for models without a price.',
    example: 'claude-haiku-4-5',
  })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Number of answers.', example: 21 })
  requests!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Input tokens, including those of the provider’s cache.',
    example: 4_452,
  })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens.', example: 1_218 })
  output_tokens!: number;

  @cost
  cost_usd!: number;
}

export class KeyDayUsageDto {
  @ApiProperty({ format: 'date', description: 'UTC day.', example: '2026-01-31' })
  date!: string;

  @requests
  requests!: number;

  @refusals
  refusals!: number;

  @cost
  cost_usd!: number;

  @ApiProperty({
    type: [KeyModelUsageDto],
    description: 'Cost of each model that was asked that day, highest first.',
  })
  by_model!: KeyModelUsageDto[];
}

@Example({
  period: { start: '2026-01-31T00:00:00.000Z', end: '2026-01-31T12:00:00.000Z' },
  last_used_at: '2026-01-31T11:59:58.000Z',
})
export class KeyUsageDto {
  @ApiId('api_key', 'Id of the key.')
  key_id!: string;

  @ApiProperty({ description: 'Period of the numbers.' })
  period!: KeyUsagePeriodDto;

  @requests
  requests!: number;

  @refusals
  refusals!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address of the last request with the key; null if unknown.',
    example: '203.0.113.9',
  })
  last_address!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key was last used; null if never.',
  })
  last_used_at!: string | null;

  @cost
  cost_usd!: number;

  @ApiProperty({ type: [KeyModelUsageDto], description: 'Cost of each model, highest first.' })
  by_model!: KeyModelUsageDto[];

  @ApiProperty({ type: [KeyDayUsageDto], description: 'Every day of the period, oldest first, including empty ones.' })
  by_day!: KeyDayUsageDto[];
}
