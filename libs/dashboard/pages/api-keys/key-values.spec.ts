import type { ApiKey } from '#client';
import { bodyOf, changeOf, valuesOf, type KeyValues } from './key-values';

const KEY = {
  id: 'key_01',
  name: 'Shop',
  environment: 'live',
  scopes: ['write:messages'],
  tier: 'pro',
  expires_at: null,
  allowed_ips: [],
  rate_limit: null,
  ai_budget: { daily_usd: 5, monthly_usd: null },
  ai_models: ['claude-haiku-4-5'],
} as unknown as ApiKey;

const changed = (values: Partial<KeyValues>) => changeOf({ ...valuesOf(KEY, 'live'), ...values }, KEY);

describe('the form of an API key', () => {
  it('shows the AI budget and the AI models, and has no changes at first', () => {
    expect(valuesOf(KEY, 'test')).toMatchObject({
      environment: 'live',
      ai_budget: { daily_usd: 5, monthly_usd: '' },
      ai_models: ['claude-haiku-4-5'],
    });
    expect(changed({})).toEqual({});
  });

  it('changes one AI budget limit and keeps the other', () => {
    expect(changed({ ai_budget: { daily_usd: 5, monthly_usd: '100' } })).toEqual({
      ai_budget: { daily_usd: 5, monthly_usd: 100 },
    });
  });

  it('sends no budget if both limits are empty, and sends a limit of 0 as 0', () => {
    expect(changed({ ai_budget: { daily_usd: '', monthly_usd: '' } })).toEqual({ ai_budget: null });
    expect(changed({ ai_budget: { daily_usd: 0, monthly_usd: '' } })).toEqual({
      ai_budget: { daily_usd: 0, monthly_usd: null },
    });
  });

  it('changes the AI models; an empty list allows any model', () => {
    expect(changed({ ai_models: ['claude-sonnet-5-5'] })).toEqual({ ai_models: ['claude-sonnet-5-5'] });
    expect(changed({ ai_models: [] })).toEqual({ ai_models: [] });
  });

  it('omits empty fields from a new key', () => {
    const empty = { ...valuesOf(undefined, 'test'), name: 'New', scopes: ['write:messages'] as ApiKey['scopes'] };
    const least = { name: 'New', environment: 'test', scopes: ['write:messages'], tier: 'standard' };
    expect(bodyOf(empty)).toEqual(least);
    const filled = { ...empty, ai_budget: { daily_usd: 2.5, monthly_usd: '' }, ai_models: ['claude-haiku-4-5'] };
    expect(bodyOf(filled)).toEqual({
      ...least,
      ai_budget: { daily_usd: 2.5, monthly_usd: null },
      ai_models: ['claude-haiku-4-5'],
    });
  });
});
