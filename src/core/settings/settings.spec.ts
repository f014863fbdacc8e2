import { defaultSettings, mergeChanges, withChanges } from './settings';
import { settingsFaults } from './settings-rules';

const defaults = defaultSettings({ model: 'm', ownerEmail: null });

describe(mergeChanges, () => {
  it('keeps what a change does not name', () => {
    const merged = mergeChanges(
      { ai: { temperature: 0.5, model: 'a' } },
      { ai: { model: 'b' }, retention: { audit_days: 7 } },
    );
    expect(merged).toEqual({ ai: { temperature: 0.5, model: 'b' }, retention: { audit_days: 7 } });
  });

  it('replaces lists, and keeps null where it is a value', () => {
    const before = { ai: { fallback_models: ['a', 'b'] }, notifications: { owner_email: 'a@example.com' } };
    const patch = { ai: { fallback_models: ['c'] }, notifications: { owner_email: null } };
    expect(mergeChanges(before, patch)).toEqual(patch);
  });

  it('removes the prices of a model with null, also of one that is named like a setting', () => {
    const before = { ai: { prices: { model: { input: 1 }, other: { input: 2 } } } };
    expect(mergeChanges(before, { ai: { prices: { model: null } } })).toEqual({
      ai: { prices: { other: { input: 2 } } },
    });
    expect(mergeChanges({}, { ai: { prices: { ghost: null } } })).toEqual({ ai: { prices: {} } });
  });

  it('leaves the original as it was', () => {
    const before = { ai: { prices: { a: { input: 1 } } } };
    mergeChanges(before, { ai: { prices: { a: null } } });
    expect(before).toEqual({ ai: { prices: { a: { input: 1 } } } });
  });
});

describe(withChanges, () => {
  it('fills what was never changed from the defaults', () => {
    const settings = withChanges(defaults, { ai: { temperature: 0.1 } });
    expect(settings).toEqual({ ...defaults, ai: { ...defaults.ai, temperature: 0.1 } });
  });
});

describe('settingsFaults', () => {
  it('takes the defaults as they are', () => {
    expect(settingsFaults({ ...defaults }, '')).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('does not take %s for a setting', (name) => {
    const patch = JSON.parse(`{"ai": {"${name}": 1}}`) as object;
    expect(settingsFaults(patch, '')).toEqual([{ parameter: `ai.${name}`, reason: 'is not a known setting' }]);
  });
});
