import { retryAfterOf } from './retry-after';

describe(retryAfterOf.name, () => {
  it.each([
    ['3', 3_000],
    [' 0.5 ', 1_000],
    ['1.5', 1_500],
    ['0', undefined],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
    ['9999999', 86_400_000],
    ['Wed, 21 Oct 2215 07:28:00 GMT', 86_400_000],
  ])('reads %j as %j ms', (header, ms) => {
    expect(retryAfterOf({ 'retry-after': header })).toBe(ms);
  });

  it.each([
    [['3', '3'], 3_000],
    [[], undefined],
  ])('reads a header that came as %j as %j ms', (header, ms) => {
    // undici types it as a list; Node never gives a list of this header.
    const headers: Record<string, string[]> = { 'retry-after': header };
    expect(retryAfterOf(headers)).toBe(ms);
  });

  it('reads a date as the time until then', () => {
    const ms = retryAfterOf({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect(ms).toBeGreaterThan(50_000);
    expect(ms).toBeLessThanOrEqual(60_000);
  });
});
