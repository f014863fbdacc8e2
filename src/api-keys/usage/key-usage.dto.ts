import { ApiProperty } from '@nestjs/swagger';
import { PERIODS, type Period } from '../../core/clock/timeline';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';
import { Example } from '../../core/openapi/example.decorator';

export class KeyUsageQuery {
  @EnumField({
    words: Object.keys(PERIODS),
    optional: true,
    description: 'How far to look back: 24 hours (`1d`), or days in UTC, today included.',
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
  description: 'Requests with the key, refused ones too.',
  example: 420,
});
const refusals = ApiProperty({
  type: 'integer',
  description: 'Refused requests: answered with 401, 403 or 429.',
  example: 3,
});
const cost = ApiProperty({ description: 'What the AI cost, in US dollars.', example: 0.031 });

export class KeyModelUsageDto {
  @ApiProperty({ description: 'The model, or `other` for those without a price.', example: 'claude-haiku-4-5' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Answers made.', example: 21 })
  requests!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens read, those of the provider’s cache included.', example: 4_452 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens written.', example: 1_218 })
  output_tokens!: number;

  @cost
  cost_usd!: number;
}

export class KeyDayUsageDto {
  @ApiProperty({ format: 'date', description: 'The day, in UTC.', example: '2026-01-31' })
  date!: string;

  @requests
  requests!: number;

  @refusals
  refusals!: number;

  @cost
  cost_usd!: number;

  @ApiProperty({
    type: [KeyModelUsageDto],
    description: 'What each model that was asked that day cost, dearest first.',
  })
  by_model!: KeyModelUsageDto[];
}

@Example({
  period: { start: '2026-01-31T00:00:00.000Z', end: '2026-01-31T12:00:00.000Z' },
  last_used_at: '2026-01-31T11:59:58.000Z',
})
export class KeyUsageDto {
  @ApiId('api_key', 'Key id.')
  key_id!: string;

  @ApiProperty({ description: 'The period that the numbers cover.' })
  period!: KeyUsagePeriodDto;

  @requests
  requests!: number;

  @refusals
  refusals!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The address of the last request with the key; null: none is known.',
    example: '203.0.113.9',
  })
  last_address!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key was last used; null: never.',
  })
  last_used_at!: string | null;

  @cost
  cost_usd!: number;

  @ApiProperty({ type: [KeyModelUsageDto], description: 'What each model cost, dearest first.' })
  by_model!: KeyModelUsageDto[];

  @ApiProperty({ type: [KeyDayUsageDto], description: 'Every day of the period, oldest first, empty ones too.' })
  by_day!: KeyDayUsageDto[];
}
