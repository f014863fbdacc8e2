import { defaultSettings, mergeChanges, settingsFaults, withChanges } from './settings';

const defaults = defaultSettings({ model: 'm', ownerEmail: null });

describe(mergeChanges, () => {
  it('keeps what a change does not mention', () => {
    const merged = mergeChanges(
      { ai: { temperature: 0.5, model: 'a' } },
      { ai: { model: 'b' }, retention: { audit_days: 7 } },
    );
    expect(merged).toEqual({ ai: { temperature: 0.5, model: 'b' }, retention: { audit_days: 7 } });
  });

  it('replaces lists, and keeps null if null is a valid value', () => {
    const before = { ai: { fallback_models: ['a', 'b'] }, notifications: { owner_email: 'a@example.com' } };
    const patch = { ai: { fallback_models: ['c'] }, notifications: { owner_email: null } };
    expect(mergeChanges(before, patch)).toEqual(patch);
  });

  it('removes the prices of a model with null, also of one named like a setting', () => {
    const before = { ai: { prices: { model: { input: 1 }, other: { input: 2 } } } };
    expect(mergeChanges(before, { ai: { prices: { model: null } } })).toEqual({
      ai: { prices: { other: { input: 2 } } },
    });
    expect(mergeChanges({}, { ai: { prices: { ghost: null } } })).toEqual({ ai: { prices: {} } });
  });

  it('does not change the original', () => {
    const before = { ai: { prices: { a: { input: 1 } } } };
    mergeChanges(before, { ai: { prices: { a: null } } });
    expect(before).toEqual({ ai: { prices: { a: { input: 1 } } } });
  });
});

describe(withChanges, () => {
  it('uses defaults for settings that were never changed', () => {
    const settings = withChanges(defaults, { ai: { temperature: 0.1 } });
    expect(settings).toEqual({ ...defaults, ai: { ...defaults.ai, temperature: 0.1 } });
  });

  it('has the default model of the provider, until a model is set', () => {
    const model = (initial: Parameters<typeof defaultSettings>[0], ai: object) =>
      withChanges(defaultSettings(initial), { ai }).ai.model;
    expect(model({ ownerEmail: null }, {})).toBe('claude-sonnet-5-5');
    expect(model({ ownerEmail: null }, { provider: 'openai' })).toBe('gpt-5-mini');
    expect(model({ ownerEmail: null, provider: 'openai' }, {})).toBe('gpt-5-mini');
    expect(model({ ownerEmail: null, model: 'ours' }, { provider: 'openai' })).toBe('ours');
    expect(model({ ownerEmail: null }, { provider: 'openai', model: 'theirs' })).toBe('theirs');
  });

  it('omits prices without input or output of an earlier version, so that the settings can be sent back', () => {
    const prices = {
      whole: { input: 1, output: 2 },
      input: { input: 1 },
      output: { output: 1, cache_read: 1 },
      none: {},
    };
    const settings = withChanges(defaults, { ai: { prices: prices as never } });
    expect(settings.ai.prices).toEqual({ whole: prices.whole });
    expect(settingsFaults({ ...settings })).toEqual([]);
  });

  it('accepts ai.media.pdf_pages of an earlier version: only 0 counts, until documents is set', () => {
    const documents = (media: object) => {
      const settings = withChanges(defaults, { ai: { media: media as never } });
      expect(settingsFaults({ ...settings })).toEqual([]);
      return settings.ai.media;
    };
    expect(documents({ images: 3, pdf_pages: 50 })).toEqual({ images: 3, documents: 2 });
    expect(documents({ pdf_pages: 0 })).toEqual({ images: 10, documents: 0 });
    expect(documents({ pdf_pages: 0, documents: 1 })).toEqual({ images: 10, documents: 1 });
  });

  it('shows at most 1,000 for webhooks.max_endpoints of an earlier version, so that the settings can be sent back', () => {
    const settings = withChanges(defaults, { webhooks: { max_endpoints: 10_000 } });
    expect(settings.webhooks.max_endpoints).toBe(1_000);
    expect(settingsFaults({ ...settings })).toEqual([]);
  });
});

describe(settingsFaults, () => {
  it('accepts the defaults', () => {
    expect(settingsFaults({ ...defaults })).toEqual([]);
  });

  it('accepts a change of one field, and valid entries of a map', () => {
    const prices = { 'claude-haiku-4-5': { input: 1, output: 5 }, '4711': { input: 0, output: 0 }, gone: null };
    expect(settingsFaults({ ai: { prices }, notifications: { owner_email: null } })).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('rejects %s as a setting', (name) => {
    const patch = JSON.parse(`{"ai": {"${name}": 1}}`) as Record<string, unknown>;
    expect(settingsFaults(patch)).toEqual([{ parameter: `ai.${name}`, reason: 'is not a known setting' }]);
  });

  it('reports all faults in the order of the change, under dotted names', () => {
    const patch = JSON.parse(`{
      "retention": {"audit_days": 0, "colour": "red"},
      "ai": {
        "provider": "other",
        "fallback_models": ["a", 7],
        "prices": {"m": {"input": -1, "output": 1, "in": 1}, "": {}, "__proto__": {}, "n": 5},
        "model": null
      },
      "notifications": {"owner_email": "nobody"},
      "conversations": null,
      "rate_limits": {"constructor": null}
    }`) as Record<string, unknown>;
    expect(settingsFaults(patch)).toEqual([
      { parameter: 'retention.audit_days', reason: 'must be an integer from 1 to 3650', value: 0 },
      { parameter: 'retention.colour', reason: 'is not a known setting' },
      { parameter: 'ai.provider', reason: 'must be one of anthropic, openai', value: 'other' },
      { parameter: 'ai.fallback_models[1]', reason: 'must be a string', value: 7 },
      { parameter: 'ai.prices.m.input', reason: 'must be a number from 0 to 1000000', value: -1 },
      { parameter: 'ai.prices.m.in', reason: 'is not a known setting' },
      { parameter: 'ai.prices.', reason: 'must not be empty', value: '' },
      { parameter: 'ai.prices.__proto__', reason: 'is not a known setting' },
      { parameter: 'ai.prices.n', reason: 'must be an object', value: 5 },
      { parameter: 'ai.model', reason: 'must be a string', value: null },
      { parameter: 'notifications.owner_email', reason: 'must be an e-mail address or null', value: 'nobody' },
      { parameter: 'conversations', reason: 'must be an object', value: null },
      { parameter: 'rate_limits.constructor', reason: 'is not a known setting' },
    ]);
  });

  it('rejects a map that is too large', () => {
    const prices = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`model-${index}`, { input: 1 }]));
    expect(settingsFaults({ ai: { prices } })).toEqual([
      { parameter: 'ai.prices', reason: 'must have at most 200 entries', value: prices },
    ]);
  });
});
