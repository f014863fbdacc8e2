import type { ApiKey, ApiKeyUpdateParams, ApiKeyCreateParams } from '#client';
import { localTime } from '../../format/time';
import type { Environment } from '../../session/session';

/** The values of the form. */
export interface KeyValues {
  name: string;
  environment: Environment;
  scopes: ApiKey['scopes'];
  tier: ApiKey['tier'];
  /** The value of a `datetime-local` field; empty: never. */
  expires_at: string;
  allowed_ips: string[];
  ownLimits: boolean;
  rate_limit: { requests_per_minute: number; requests_per_hour: number };
  /** US dollars; empty: no limit. */
  ai_budget: { daily_usd: number | string; monthly_usd: number | string };
  ai_models: string[];
}

const STANDARD = { requests_per_minute: 60, requests_per_hour: 1_000 };

export function valuesOf(key: ApiKey | undefined, environment: Environment): KeyValues {
  return {
    name: key?.name ?? '',
    environment: key?.environment ?? environment,
    scopes: key?.scopes ?? [],
    tier: key?.tier ?? 'standard',
    expires_at: key?.expires_at ? localTime(key.expires_at) : '',
    allowed_ips: key?.allowed_ips ?? [],
    ownLimits: key?.rate_limit != null,
    rate_limit: key?.rate_limit ?? STANDARD,
    ai_budget: { daily_usd: key?.ai_budget?.daily_usd ?? '', monthly_usd: key?.ai_budget?.monthly_usd ?? '' },
    ai_models: key?.ai_models ?? [],
  };
}

/** Only the changed fields: if a restricted key sends a field that it may not change, the gateway refuses the request. */
export function changeOf(values: KeyValues, key: ApiKey): ApiKeyUpdateParams {
  const before = fieldsOf(valuesOf(key, key.environment));
  return Object.fromEntries(
    Object.entries(fieldsOf(values)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );
}

/** Omits empty fields: the new key inherits them from the key that creates it. */
export function bodyOf(values: KeyValues): ApiKeyCreateParams {
  const { name, tier, ...optional } = fieldsOf(values);
  const set = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null && !isEmpty(value)));
  return { ...set, name, tier, scopes: values.scopes, environment: values.environment };
}

function fieldsOf({ name, tier, expires_at, allowed_ips, ownLimits, rate_limit, ai_budget, ai_models }: KeyValues) {
  const [daily_usd, monthly_usd] = [dollarsOf(ai_budget.daily_usd), dollarsOf(ai_budget.monthly_usd)];
  return {
    name,
    tier,
    expires_at: expires_at === '' ? null : new Date(expires_at).toISOString(),
    allowed_ips,
    rate_limit: ownLimits ? rate_limit : null,
    ai_budget: daily_usd === null && monthly_usd === null ? null : { daily_usd, monthly_usd },
    ai_models,
  } satisfies ApiKeyUpdateParams;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function dollarsOf(value: number | string): number | null {
  return value === '' ? null : Number(value);
}
