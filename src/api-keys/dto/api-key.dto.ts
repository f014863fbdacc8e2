import { ApiProperty } from '@nestjs/swagger';
import { ENVIRONMENTS, SCOPES, type Environment, type Scope } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { TIER_NAMES, type Tier } from '../policy/tiers';

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export class RateLimitDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Requests per minute.', example: 60 })
  requests_per_minute!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests per hour.',
    example: 1_000,
  })
  requests_per_hour!: number;
}

const dollars = (description: string) =>
  ApiProperty({ type: Number, minimum: 0, nullable: true, description, example: 5 });

export class KeyAiBudgetDto {
  @dollars('US dollars per UTC day; null for no daily limit.')
  daily_usd!: number | null;

  @dollars('US dollars per UTC month; null for no monthly limit.')
  monthly_usd!: number | null;
}

const timestamp = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });

const EXAMPLE = {
  scopes: ['read:messages', 'write:messages'],
  ai_budget: { daily_usd: 5, monthly_usd: 100 },
  created_at: '2026-01-12T08:30:11.204Z',
  last_used_at: '2026-01-31T11:59:58.000Z',
};

@Example(EXAMPLE)
export class ApiKeyDto {
  @ApiId('api_key', 'Id of the key.')
  id!: string;

  @ApiProperty({ description: 'Name that tells what the key is for.', example: 'Shop back end' })
  name!: string;

  @ApiProperty({
    enum: ENVIRONMENTS,
    description: 'Environment of the key: `live` uses the platforms, `test` the sandbox.',
  })
  environment!: Environment;

  @ApiProperty({
    description: 'The key, masked except for its last four characters.',
    example: 'service_sk_live_…Xk9b',
  })
  masked_key!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'Scopes of the key.' })
  scopes!: Scope[];

  @ApiProperty({ enum: TIER_NAMES, description: 'Tier whose limits apply if `rate_limit` sets none.' })
  tier!: Tier;

  @ApiProperty({
    type: [String],
    description: 'Addresses and CIDR ranges from which the key may be used; empty for any.',
    example: ['203.0.113.0/24'],
  })
  allowed_ips!: string[];

  @ApiProperty({
    type: RateLimitDto,
    nullable: true,
    description:
      'Limits of the key; null if those of its tier apply. If only one was set, the other is that of the tier.',
  })
  rate_limit!: RateLimitDto | null;

  @ApiProperty({
    type: KeyAiBudgetDto,
    nullable: true,
    description: 'AI budget of the key; null if only the budget of the environment applies.',
  })
  ai_budget!: KeyAiBudgetDto | null;

  @ApiProperty({
    type: [String],
    description: 'Models that `options.model` may name in addition to those of the settings; empty for all models.',
    example: ['claude-haiku-4-5'],
  })
  ai_models!: string[];

  @ApiProperty({ enum: KEY_STATUSES, description: 'Status of the key; only an active key is accepted.' })
  status!: KeyStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Id of the key that created this one, `start` or `cli`; null if the key is older than this field.',
    example: 'start',
  })
  created_by!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the key was created.' })
  created_at!: string;

  @timestamp('When the key expires; null for never.')
  expires_at!: string | null;

  @timestamp('When the key was last used, accurate to about a second; null if never.')
  last_used_at!: string | null;

  @timestamp('When the key was revoked; null if it is not.')
  revoked_at!: string | null;
}

@Example({ ...EXAMPLE, created_at: '2026-01-31T12:00:00.000Z', last_used_at: null })
export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key itself. It is shown only once.',
    example: 'service_sk_live_4eC39HqLyjWDarjtT1zdp7dcPq2fXk9b',
  })
  key!: string;
}

export class RevokedApiKeyDto {
  @ApiId('api_key', 'Id of the key.')
  id!: string;

  @ApiProperty({ enum: ['revoked'], description: 'Always `revoked`.' })
  status!: 'revoked';

  @ApiProperty({ format: 'date-time', description: 'When the key was first revoked.' })
  revoked_at!: string;
}
