import { ApiProperty } from '@nestjs/swagger';
import { ENVIRONMENTS, SCOPES, type Environment, type Scope } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { TIER_NAMES, type Tier } from '../policy/tiers';

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export class RateLimitDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Requests in any minute.', example: 60 })
  requests_per_minute!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests in any hour.',
    example: 1_000,
  })
  requests_per_hour!: number;
}

const dollars = (description: string) =>
  ApiProperty({ type: Number, minimum: 0, nullable: true, description, example: 5 });

export class KeyAiBudgetDto {
  @dollars('US dollars in a UTC day; null: no daily ceiling.')
  daily_usd!: number | null;

  @dollars('US dollars in a UTC month; null: no monthly ceiling.')
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
  @ApiId('api_key', 'Key id.')
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'Shop back end' })
  name!: string;

  @ApiProperty({ enum: ENVIRONMENTS, description: 'Whether it reaches the platforms or the sandbox.' })
  environment!: Environment;

  @ApiProperty({ description: 'The key, all but its last four characters hidden.', example: 'service_sk_live_…Xk9b' })
  masked_key!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'What the key may do.' })
  scopes!: Scope[];

  @ApiProperty({ enum: TIER_NAMES, description: 'The tier whose limits apply where `rate_limit` sets none.' })
  tier!: Tier;

  @ApiProperty({
    type: [String],
    description: 'Addresses and CIDR ranges it may be used from; empty: from anywhere.',
    example: ['203.0.113.0/24'],
  })
  allowed_ips!: string[];

  @ApiProperty({
    type: RateLimitDto,
    nullable: true,
    description: 'Its own limits; null: those of its tier. Where only one was set, the other is the tier’s.',
  })
  rate_limit!: RateLimitDto | null;

  @ApiProperty({
    type: KeyAiBudgetDto,
    nullable: true,
    description: 'AI budget of the key; null: only the budget of the environment applies.',
  })
  ai_budget!: KeyAiBudgetDto | null;

  @ApiProperty({
    type: [String],
    description: 'The models that `options.model` may name beside those of the settings; empty: all.',
    example: ['claude-haiku-4-5'],
  })
  ai_models!: string[];

  @ApiProperty({ enum: KEY_STATUSES, description: 'Only an active key is accepted.' })
  status!: KeyStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the key that made it, `start` or `cli`; null: it is older than this field.',
    example: 'start',
  })
  created_by!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was made.' })
  created_at!: string;

  @timestamp('When it stops being accepted; null: never.')
  expires_at!: string | null;

  @timestamp('When it was last presented, to the second or so; null: never.')
  last_used_at!: string | null;

  @timestamp('When it was revoked; null: it is not.')
  revoked_at!: string | null;
}

@Example({ ...EXAMPLE, created_at: '2026-01-31T12:00:00.000Z', last_used_at: null })
export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key itself. It is shown this once.',
    example: 'service_sk_live_4eC39HqLyjWDarjtT1zdp7dcPq2fXk9b',
  })
  key!: string;
}

export class RevokedApiKeyDto {
  @ApiId('api_key', 'Key id.')
  id!: string;

  @ApiProperty({ enum: ['revoked'], description: 'Always `revoked`.' })
  status!: 'revoked';

  @ApiProperty({ format: 'date-time', description: 'When it was revoked, the first time.' })
  revoked_at!: string;
}
