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
  @IntField({ min: 1, max: MAX_REQUESTS, optional: true, description: 'Requests in any minute.' })
  requests_per_minute?: number;

  @IntField({ min: 1, max: MAX_REQUESTS, optional: true, description: 'Requests in any hour.' })
  requests_per_hour?: number;
}

const DollarsField = (time: string) =>
  NumberField({
    min: 0,
    max: MAX_USD,
    optional: true,
    nullable: true,
    description: `US dollars in a UTC ${time}; null: no ceiling.`,
    example: 5,
  });

export class AiBudgetRequestDto {
  @DollarsField('day')
  daily_usd?: number | null;

  @DollarsField('month')
  monthly_usd?: number | null;
}

const addresses = {
  schema: { type: 'string', format: 'ip-range', description: 'An IPv4 or IPv6 address, or a range: `10.0.0.0/8`.' },
  faultOf: (item: unknown) =>
    typeof item === 'string' && normalizeRange(item) !== undefined
      ? undefined
      : 'must be an IP address or a CIDR range',
};

const NameField = (options: { example?: string; optional?: boolean }) =>
  TextField({ max: 100, notBlank: true, description: 'What it is for.', ...options });
const TierField = () =>
  EnumField({
    words: TIER_NAMES,
    optional: true,
    description: 'The tier whose limits apply where `rate_limit` sets none.',
  });
const ExpiresAtField = () =>
  TimeField({
    optional: true,
    nullable: true,
    description: 'When the key stops being accepted; null: never.',
    example: '2027-01-01T00:00:00Z',
  });
const AllowedIpsField = () =>
  ListField({
    max: 100,
    items: addresses,
    optional: true,
    description: 'Addresses and CIDR ranges, IPv4 or IPv6; empty: no restriction.',
    example: ['203.0.113.0/24', '2001:db8::7'],
  });
const RateLimitField = () =>
  NestedField(RateLimitRequestDto, {
    optional: true,
    nullable: true,
    description: "Instead of the tier's limits; null: the tier's. A window that is left out stays as it is.",
  });

const AiBudgetField = () =>
  NestedField(AiBudgetRequestDto, {
    optional: true,
    nullable: true,
    description:
      'AI budget of the key; null: only the budget of the environment applies. A period that is left out stays as it is.',
  });
const AiModelsField = () =>
  ListField({
    max: MAX_MODELS,
    items: textItems(MAX_MODEL_LENGTH, { notBlank: true }),
    optional: true,
    description: 'The models that `options.model` may name beside those of the settings; empty: all.',
    example: ['claude-haiku-4-5'],
  });

export class CreateApiKeyDto {
  @NameField({ example: 'Shop back end' })
  name!: string;

  @ListField({
    min: 1,
    max: SCOPES.length,
    items: wordItems(SCOPES),
    description: 'What it may do; only what the calling key may do.',
    example: ['read:messages', 'write:messages'],
  })
  scopes!: Scope[];

  @EnumField({ words: ENVIRONMENTS, optional: true, description: "The calling key's where left out." })
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
    description: 'How many hours the old value still works. A value replaced by an earlier roll stops working at once.',
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

  @EnumField({ words: KEY_STATUSES, optional: true, description: 'Only keys in this status.' })
  status?: KeyStatus;

  @EnumField({ words: ENVIRONMENTS, optional: true, description: 'Only keys of this environment.' })
  environment?: Environment;
}
