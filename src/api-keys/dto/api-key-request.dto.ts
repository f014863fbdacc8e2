import { ENVIRONMENTS, SCOPES, type Environment, type Scope } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { ListField, textItems, wordItems } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { IntField, NumberField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';
import { normalizeRange } from '../policy/allowed-ips';
import { TIER_NAMES, type Tier } from '../policy/tiers';
import { KEY_STATUSES, type KeyStatus } from './api-key.dto';

const MAX_REQUESTS = 1_000_000;
const MAX_USD = 1_000_000;
export const MAX_MODELS = 50;
/** As long as `options.model` may be. */
const MAX_MODEL_LENGTH = 200;

export class RateLimitRequestDto {
  @IntField({ min: 1, max: MAX_REQUESTS, optional: true, description: 'Requests per minute.' })
  requests_per_minute?: number;

  @IntField({ min: 1, max: MAX_REQUESTS, optional: true, description: 'Requests per hour.' })
  requests_per_hour?: number;
}

const DollarsField = (time: string) =>
  NumberField({
    min: 0,
    max: MAX_USD,
    optional: true,
    nullable: true,
    description: `US dollars per UTC ${time}; null for no limit.`,
    example: 5,
  });

export class AiBudgetRequestDto {
  @DollarsField('day')
  daily_usd?: number | null;

  @DollarsField('month')
  monthly_usd?: number | null;
}

const addresses = {
  schema: { type: 'string', format: 'ip-range', description: 'IPv4 or IPv6 address, or CIDR range: `10.0.0.0/8`.' },
  faultOf: (item: unknown) =>
    typeof item === 'string' && normalizeRange(item) !== undefined
      ? undefined
      : 'must be an IP address or a CIDR range',
};

const NameField = (options: { example?: string; optional?: boolean }) =>
  TextField({ max: 100, notBlank: true, description: 'Name that tells what the key is for.', ...options });
const TierField = () =>
  EnumField({
    words: TIER_NAMES,
    optional: true,
    description: 'Tier whose limits apply if `rate_limit` sets none.',
  });
const ExpiresAtField = () =>
  TimeField({
    optional: true,
    nullable: true,
    description: 'When the key expires; null for never.',
    example: '2027-01-01T00:00:00Z',
  });
const AllowedIpsField = () =>
  ListField({
    max: 100,
    items: addresses,
    optional: true,
    description: 'IPv4 and IPv6 addresses and CIDR ranges from which the key may be used; empty for any.',
    example: ['203.0.113.0/24', '2001:db8::7'],
  });
const RateLimitField = () =>
  NestedField(RateLimitRequestDto, {
    optional: true,
    nullable: true,
    description:
      'Limits of the key, which override those of its tier; null for the limits of the tier. An omitted window stays unchanged.',
  });

const AiBudgetField = () =>
  NestedField(AiBudgetRequestDto, {
    optional: true,
    nullable: true,
    description:
      'AI budget of the key; null if only the budget of the environment applies. An omitted period stays unchanged.',
  });
const AiModelsField = () =>
  ListField({
    max: MAX_MODELS,
    items: textItems(MAX_MODEL_LENGTH, { notBlank: true }),
    optional: true,
    description:
      'Models that `options.model` may name in addition to those of the settings; empty for all models. A name without a provider is a model of the setting `ai.provider`.',
    example: ['claude-haiku-4-5'],
  });

export class CreateApiKeyDto {
  @NameField({ example: 'Shop back end' })
  name!: string;

  @ListField({
    min: 1,
    max: SCOPES.length,
    items: wordItems(SCOPES),
    description: 'Scopes of the key, limited to those of the calling key.',
    example: ['read:messages', 'write:messages'],
  })
  scopes!: Scope[];

  @EnumField({
    words: ENVIRONMENTS,
    optional: true,
    description: 'Environment of the key. Default: that of the calling key.',
  })
  environment?: Environment;

  @TierField()
  tier?: Tier;

  @ExpiresAtField()
  expires_at?: string | null;

  @AllowedIpsField()
  allowed_ips?: string[];

  @RateLimitField()
  rate_limit?: RateLimitRequestDto | null;

  @AiBudgetField()
  ai_budget?: AiBudgetRequestDto | null;

  @AiModelsField()
  ai_models?: string[];
}

@AtLeastOneOf('name', 'tier', 'expires_at', 'allowed_ips', 'rate_limit', 'ai_budget', 'ai_models')
export class UpdateApiKeyDto {
  @NameField({ optional: true })
  name?: string;

  @TierField()
  tier?: Tier;

  @ExpiresAtField()
  expires_at?: string | null;

  @AllowedIpsField()
  allowed_ips?: string[];

  @RateLimitField()
  rate_limit?: RateLimitRequestDto | null;

  @AiBudgetField()
  ai_budget?: AiBudgetRequestDto | null;

  @AiModelsField()
  ai_models?: string[];
}

/** A week. */
export const MAX_GRACE_HOURS = 168;

export class RollApiKeyDto {
  @IntField({
    min: 0,
    max: MAX_GRACE_HOURS,
    optional: true,
    description:
      'Number of hours for which the old value still works. A value replaced by an earlier roll stops working at once.',
  })
  grace_hours: number = 24;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = {
  created_at: 'createdAt',
  name: 'name',
  expires_at: 'expiresAt',
  last_used_at: 'lastUsedAt',
  environment: 'environment',
  tier: 'tier',
};

export class ApiKeyListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @EnumField({ words: KEY_STATUSES, optional: true, description: 'Return only keys with this status.' })
  status?: KeyStatus;

  @EnumField({ words: ENVIRONMENTS, optional: true, description: 'Return only keys of this environment.' })
  environment?: Environment;
}
