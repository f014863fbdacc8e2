import type { Settings } from '#client';
import { changesOf } from './setting-values';

describe(changesOf.name, () => {
  const settings = { ai: { model: 'a', prices: { m: { input: 1 } } }, platform_prices: {} } as unknown as Settings;

  it('sends null for a removed price', () => {
    expect(changesOf(settings, { 'ai.prices': {} })).toEqual({ ai: { prices: { m: null } } });
  });
});
