import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AiStatus } from '../provider/provider-health';
import { Example } from '../../core/openapi/example.decorator';

export class GeneratedTokensDto {
  @ApiProperty({
    type: 'integer',
    description: 'Tokens that the model read, those of its cache included.',
    example: 212,
  })
  input!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens that the model wrote.', example: 58 })
  output!: number;
}

export class GeneratedDto {
  @ApiProperty({ description: 'The answer.', example: 'We open at nine.' })
  response!: string;

  @ApiProperty({ description: 'The model that answered.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ description: 'What it used.' })
  tokens!: GeneratedTokensDto;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds.', example: 1_240 })
  latency_ms!: number;
}

export class UsageDto {
  @ApiProperty({
    type: 'integer',
    description: 'Answers made, including those that broke off or came without text, and transcripts.',
    example: 21,
  })
  requests!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens read, those of the provider’s cache included.', example: 4_452 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens written.', example: 1_218 })
  output_tokens!: number;

  @ApiProperty({ description: 'What it cost by the price table, in US dollars.', example: 0.031 })
  cost_usd!: number;
}

export class UsageSummaryDto {
  @ApiProperty({ description: 'Since midnight UTC.' })
  today!: UsageDto;

  @ApiProperty({ description: 'Since the first of the month, UTC.' })
  month!: UsageDto;
}

export class AiBudgetDto {
  @ApiProperty({ type: Number, nullable: true, description: 'The setting `ai.budget.daily_usd`; null: no ceiling.' })
  daily_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'The setting `ai.budget.monthly_usd`; null: no ceiling.' })
  monthly_usd!: number | null;

  @ApiProperty({
    description:
      'Since midnight UTC, in US dollars. Models without a known price count as the dearest known one; what a process that died had reserved counts as spent.',
    example: 0.031,
  })
  spent_today_usd!: number;

  @ApiProperty({ format: 'date-time', description: 'When there is a budget again: a midnight UTC.' })
  resets_at!: string;
}

export class IgnoredParameterDto {
  @ApiProperty({ description: 'The model.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ enum: ['temperature'], description: 'The parameter.' })
  parameter!: 'temperature';
}

@Example({
  usage: {
    today: { requests: 21, input_tokens: 4_452, output_tokens: 1_218, cost_usd: 0.031 },
    month: { requests: 640, input_tokens: 135_680, output_tokens: 37_120, cost_usd: 0.945 },
  },
  budget: { daily_usd: 50, monthly_usd: null, spent_today_usd: 0.031, resets_at: '2026-02-01T00:00:00.000Z' },
})
export class AiStatusDto {
  @ApiProperty({ description: 'The provider.', example: 'anthropic' })
  provider!: string;

  @ApiProperty({ description: "The settings' model.", example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({
    enum: ['available', 'degraded', 'unavailable'],
    description: 'As the latest calls went; `degraded` also when the budget is spent.',
  })
  status!: AiStatus;

  @ApiProperty({
    type: [IgnoredParameterDto],
    description:
      'Parameters that models refused since the gateway started. Requests to these models leave them out, so the setting `ai.temperature` and the option `temperature` have no effect.',
  })
  ignored!: IgnoredParameterDto[];

  @ApiProperty({ description: 'What was used.' })
  usage!: UsageSummaryDto;

  @ApiProperty({ description: 'What all answers of the environment may cost.' })
  budget!: AiBudgetDto;

  @ApiPropertyOptional({ description: 'The `ai_budget` of the calling key, if it has one.' })
  key_budget?: AiBudgetDto;
}
