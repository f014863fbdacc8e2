import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import { ENVIRONMENTS, SCOPES, type Environment, type Scope } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { List, wordFault } from '../../core/validation/items.decorator';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import {
  IntegerBetween,
  ISO_TIME_PATTERN,
  IsoTime,
  NotBlank,
  Nullable,
  OneOf,
  Optional,
  Text,
} from '../../core/validation/parameters.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';
import { normalizeRange } from '../allowed-ips';
import { TIER_NAMES, type Tier } from '../tiers';
import { KEY_STATUSES, type KeyStatus } from './api-key.dto';

const MAX_NAME_LENGTH = 100;
const MAX_ALLOWED_IPS = 100;
const MAX_REQUESTS = 1_000_000;

export class RateLimitRequestDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_REQUESTS, description: 'Requests in any minute.' })
  @Optional()
  @IntegerBetween(1, MAX_REQUESTS)
  requests_per_minute?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_REQUESTS, description: 'Requests in any hour.' })
  @Optional()
  @IntegerBetween(1, MAX_REQUESTS)
  requests_per_hour?: number;
}

const Name = () => applyDecorators(Text(MAX_NAME_LENGTH), NotBlank());
const AllowedIps = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      maxItems: MAX_ALLOWED_IPS,
      description: 'Addresses and CIDR ranges, IPv4 or IPv6; empty: no restriction.',
      example: ['203.0.113.0/24', '2001:db8::7'],
    }),
    Optional(),
    List({ maximum: MAX_ALLOWED_IPS }, (item) =>
      typeof item === 'string' && normalizeRange(item) !== undefined
        ? undefined
        : 'must be an IP address or a CIDR range',
    ),
  );
const RateLimit = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: RateLimitRequestDto,
      nullable: true,
      description: "Instead of the tier's limits; null: the tier's. A window that is left out stays as it is.",
    }),
    Nullable(),
    IsObject({ message: '$property must be an object' }),
    ValidateNested(),
    Type(() => RateLimitRequestDto),
  );
const ExpiresAt = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      pattern: ISO_TIME_PATTERN,
      nullable: true,
      description: 'When the key stops being accepted; null: never.',
      example: '2027-01-01T00:00:00Z',
    }),
    Nullable(),
    IsoTime(),
  );
const TierName = () =>
  applyDecorators(
    ApiPropertyOptional({ enum: TIER_NAMES, description: 'The limits where `rate_limit` gives none.' }),
    Optional(),
    OneOf(TIER_NAMES),
  );

export class CreateApiKeyDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: String.raw`\S`,
    description: 'What it is for.',
    example: 'Shop back end',
  })
  @Name()
  name!: string;

  @ApiProperty({
    enum: SCOPES,
    isArray: true,
    minItems: 1,
    maxItems: SCOPES.length,
    description: 'What it may do; only what the calling key may do.',
    example: ['read:messages', 'write:messages'],
  })
  @List({ minimum: 1, maximum: SCOPES.length }, wordFault(SCOPES))
  scopes!: Scope[];

  @ApiPropertyOptional({ enum: ENVIRONMENTS, description: "The calling key's where left out." })
  @Optional()
  @OneOf(ENVIRONMENTS)
  environment?: Environment;

  @TierName()
  tier?: Tier;

  @ExpiresAt()
  expires_at?: string | null;

  @AllowedIps()
  allowed_ips?: string[];

  @RateLimit()
  rate_limit?: RateLimitRequestDto | null;
}

@AtLeastOneOf('name', 'tier', 'expires_at', 'allowed_ips', 'rate_limit')
export class UpdateApiKeyDto {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: String.raw`\S`,
    description: 'What it is for.',
  })
  @Optional()
  @Name()
  name?: string;

  @TierName()
  tier?: Tier;

  @ExpiresAt()
  expires_at?: string | null;

  @AllowedIps()
  allowed_ips?: string[];

  @RateLimit()
  rate_limit?: RateLimitRequestDto | null;
}

/** Field of `sort` → SQL column. */
export const SORTABLE = {
  created_at: 'created_at',
  name: 'name',
  expires_at: 'expires_at',
  last_used_at: 'last_used_at',
  environment: 'environment',
  tier: 'tier',
};

export class ApiKeyListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @ApiPropertyOptional({ enum: KEY_STATUSES, description: 'Only keys in this status.' })
  @Optional()
  @OneOf(KEY_STATUSES)
  status?: KeyStatus;

  @ApiPropertyOptional({ enum: ENVIRONMENTS, description: 'Only keys of this environment.' })
  @Optional()
  @OneOf(ENVIRONMENTS)
  environment?: Environment;
}
