import type { Settings } from '#client';
import { changesOf } from './setting-values';

describe(changesOf.name, () => {
  const settings = { ai: { model: 'a', prices: { m: { input: 1 } } }, platform_prices: {} } as unknown as Settings;

  it('sends null for a removed price', () => {
    expect(changesOf(settings, { 'ai.prices': {} })).toEqual({ ai: { prices: { m: null } } });
  });

  it.each(['{"m": {', '', 5, null, []])('leaves it to the gateway to reject prices that are no object: %j', (value) => {
    expect(changesOf(settings, { 'ai.prices': value })).toEqual({ ai: { prices: value } });
    expect(changesOf(settings, { platform_prices: value })).toEqual({ platform_prices: value });
  });
});
