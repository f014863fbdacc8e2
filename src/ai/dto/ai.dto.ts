import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AI_PROVIDERS } from '#contracts';
import type { ProviderName } from '../provider/ai-provider.port';
import type { AiStatus } from '../provider/provider-health';
import { Example } from '../../core/openapi/example.decorator';

export class GeneratedTokensDto {
  @ApiProperty({
    type: 'integer',
    description: 'Input tokens, including those read from and written to the cache.',
    example: 212,
  })
  input!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens.', example: 58 })
  output!: number;
}

export class GeneratedDto {
  @ApiProperty({ description: 'Text of the answer.', example: 'We open at nine.' })
  response!: string;

  @ApiProperty({ description: 'Model that answered.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ description: 'Tokens used.' })
  tokens!: GeneratedTokensDto;

  @ApiProperty({ type: 'integer', description: 'Duration of the call, in milliseconds.', example: 1_240 })
  latency_ms!: number;
}

export class UsageDto {
  @ApiProperty({
    type: 'integer',
    description: 'Number of answers, including interrupted and empty ones, and of transcripts.',
    example: 21,
  })
  requests!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Input tokens, including those of the provider’s cache.',
    example: 4_452,
  })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens.', example: 1_218 })
  output_tokens!: number;

  @ApiProperty({ description: 'Cost by the price table, in US dollars.', example: 0.031 })
  cost_usd!: number;
}

export class UsageSummaryDto {
  @ApiProperty({ description: 'Usage since midnight UTC.' })
  today!: UsageDto;

  @ApiProperty({ description: 'Usage since the first of the month, UTC.' })
  month!: UsageDto;
}

export class AiBudgetDto {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The setting `ai.budget.daily_usd`; null if there is no limit.',
  })
  daily_usd!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The setting `ai.budget.monthly_usd`; null if there is no limit.',
  })
  monthly_usd!: number | null;

  @ApiProperty({
    description:
      'Amount spent since midnight UTC, in US dollars. Models without a known price are charged at the highest known price. Amounts reserved by a process that died count as spent.',
    example: 0.031,
  })
  spent_today_usd!: number;

  @ApiProperty({ format: 'date-time', description: 'When the budget resets (midnight UTC).' })
  resets_at!: string;
}

export class IgnoredParameterDto {
  @ApiProperty({ description: 'Name of the model.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ enum: ['temperature'], description: 'Name of the parameter.' })
  parameter!: 'temperature';
}

export class ProviderStatusDto {
  @ApiProperty({ enum: [...AI_PROVIDERS, 'sandbox'], description: 'Name of the provider.' })
  name!: ProviderName;

  @ApiProperty({
    enum: ['available', 'degraded', 'unavailable'],
    description: 'Health of this provider alone, judged by its latest calls.',
  })
  status!: AiStatus;
}

@Example({
  providers: [{ name: 'anthropic', status: 'available' }],
  unpriced_models: [],
  usage: {
    today: { requests: 21, input_tokens: 4_452, output_tokens: 1_218, cost_usd: 0.031 },
    month: { requests: 640, input_tokens: 135_680, output_tokens: 37_120, cost_usd: 0.945 },
  },
  budget: { daily_usd: 50, monthly_usd: null, spent_today_usd: 0.031, resets_at: '2026-02-01T00:00:00.000Z' },
})
export class AiStatusDto {
  @ApiProperty({ description: 'Name of the provider of the model.', example: 'anthropic' })
  provider!: string;

  @ApiProperty({ description: 'Full name of the model of the settings.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({
    enum: ['available', 'degraded', 'unavailable'],
    description:
      'Health of the AI, judged by the latest calls; `degraded` also if only fallback models of another provider answer, or if the budget is spent.',
  })
  status!: AiStatus;

  @ApiProperty({
    description: 'Whether a provider is configured. The status is `unavailable` without one.',
    example: true,
  })
  configured!: boolean;

  @ApiProperty({
    type: [IgnoredParameterDto],
    description:
      'Parameters that models have rejected since the gateway started. Requests to these models omit them, so the setting `ai.temperature` and the option `temperature` have no effect.',
  })
  ignored!: IgnoredParameterDto[];

  @ApiProperty({
    type: [ProviderStatusDto],
    description: 'Each configured provider, and that of the model of the settings.',
  })
  providers!: ProviderStatusDto[];

  @ApiProperty({
    type: [String],
    description:
      'Models of the settings, also of accounts, without a known price. For budgets, each costs as much as the most expensive known model; `cost_usd` is 0. Set their prices in `ai.prices`.',
    example: ['openai/gpt-5-mini'],
  })
  unpriced_models!: string[];

  @ApiProperty({ description: 'Usage by period.' })
  usage!: UsageSummaryDto;

  @ApiProperty({ description: 'AI budget of the environment.' })
  budget!: AiBudgetDto;

  @ApiPropertyOptional({ description: 'AI budget of the calling key, if it has one.' })
  key_budget?: AiBudgetDto;
}
