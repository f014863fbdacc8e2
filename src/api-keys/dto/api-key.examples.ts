import type { RequestExamples } from '../../core/openapi/api-examples.decorator';

export const CREATE_KEY_EXAMPLES: RequestExamples = {
  shop: {
    summary: 'A key that reads and sends messages',
    value: { name: 'Shop back end', scopes: ['read:messages', 'write:messages'] },
  },
  bound: {
    summary: 'A key with allowed addresses, limits and an expiry',
    value: {
      name: 'Nightly report',
      scopes: ['read:status', 'read:messages'],
      tier: 'pro',
      expires_at: '2099-12-31T23:59:59Z',
      allowed_ips: ['203.0.113.0/24', '2001:db8::7'],
      rate_limit: { requests_per_minute: 30, requests_per_hour: 600 },
      ai_budget: { daily_usd: 5, monthly_usd: 50 },
      ai_models: ['claude-haiku-4-5'],
    },
  },
};

export const ROLL_KEY_EXAMPLES: RequestExamples = {
  day: { summary: 'The old value works for another day', value: { grace_hours: 24 } },
  leaked: { summary: 'The old value leaked and stops working at once', value: { grace_hours: 0 } },
};

export const UPDATE_KEY_EXAMPLES: RequestExamples = {
  addresses: { summary: 'Only from these addresses', value: { allowed_ips: ['203.0.113.0/24'] } },
  limits: { summary: 'Other limits', value: { rate_limit: { requests_per_minute: 120 } } },
  budget: { summary: 'A daily AI budget', value: { ai_budget: { daily_usd: 2.5 } } },
  tierLimits: { summary: "Back to the tier's limits", value: { rate_limit: null } },
};
