import type { ModelPricesDto } from '../../core/settings/settings.dto';
import type { AiTokens } from './ai-provider.port';
import { costUsd, LIST_PRICES, pricesOf } from './prices';

const million = (part: Partial<AiTokens>): AiTokens => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...part });

describe(pricesOf.name, () => {
  it('finds the price of a dated or -latest id by its model', () => {
    expect(pricesOf('claude-haiku-4-5-20251001')).toBe(LIST_PRICES['claude-haiku-4-5']);
    expect(pricesOf('claude-sonnet-4-20250514')).toBe(LIST_PRICES['claude-sonnet-4']);
    expect(pricesOf('claude-opus-4-1-latest')).toBe(LIST_PRICES['claude-opus-4-1']);
  });

  it('does not give a point release the price of its predecessor', () => {
    expect(pricesOf('claude-opus-5-5')).not.toEqual(pricesOf('claude-opus-5'));
    expect(pricesOf('claude-opus-5-6')).toBeUndefined();
    expect(pricesOf('claude-sonnet-5-5x')).toBeUndefined();
  });

  it('knows no price for a model named like an object property', () => {
    expect(pricesOf('constructor')).toBeUndefined();
    expect(pricesOf('constructor', {})).toBeUndefined();
  });

  it('overrides the list price; missing cache prices follow the input price', () => {
    const own = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    expect(pricesOf('house-model', { 'house-model': own })).toMatchObject(own);
    const short = { input: 7, output: 20 };
    const whole = { ...short, cache_read: 7, cache_write: 7 };
    expect(pricesOf('claude-opus-5', { 'claude-opus-5': short })).toEqual(whole);
    expect(pricesOf('claude-opus-5-20260724', { 'claude-opus-5': short })).toEqual(whole);
  });

  it('ignores a stored price without input or output', () => {
    const stored = { 'claude-opus-5': { input: 7 }, 'house-model': {} } as unknown as Record<string, ModelPricesDto>;
    expect(pricesOf('claude-opus-5', stored)).toEqual(LIST_PRICES['claude-opus-5']);
    expect(pricesOf('house-model', stored)).toBeUndefined();
  });

  it('prices cache reads below and cache writes above the input of every listed model', () => {
    for (const price of Object.values(LIST_PRICES)) {
      expect(price.cache_read).toBeLessThan(price.input);
      expect(price.cache_write).toBeCloseTo(price.input * 1.25);
    }
  });
});

describe(costUsd.name, () => {
  it('adds up the four kinds of tokens', () => {
    const tokens = { input: 1000, output: 500, cacheRead: 10_000, cacheWrite: 2000 };
    // 1000 × 5 + 500 × 25 + 10,000 × 0.5 + 2000 × 6.25, per million
    expect(costUsd(tokens, pricesOf('claude-opus-5'))).toBe(0.035);
  });

  it('marks an unknown model as not priced', () => {
    expect(costUsd(million({ input: 1000 }), pricesOf('no-such-model'))).toBe(0);
  });

  it('uses the long-prompt price if the prompt, cached tokens included, is long enough', () => {
    const haiku = pricesOf('claude-haiku-5-5');
    expect(costUsd(million({ input: 100_000, output: 1000 }), haiku)).toBeCloseTo(0.0105);
    expect(costUsd(million({ input: 1, cacheRead: 100_000 }), haiku)).toBeCloseTo(0.0050005);
  });

  it('applies an override to prompts of any length', () => {
    const flat = pricesOf('claude-haiku-5-5', { 'claude-haiku-5-5': { input: 1, output: 1 } });
    expect(costUsd(million({ input: 200_000 }), flat)).toBeCloseTo(0.2);
  });
});
