import { RateLimitError } from 'discord.js';
import { retryAfterOf } from './discord-errors';

const LIMIT = {
  global: false,
  hash: '',
  limit: 1,
  majorParameter: '77',
  method: 'GET',
  retryAfter: 0,
  route: '/channels/:id/messages',
  scope: 'user' as const,
  sublimitTimeout: 0,
  timeToReset: 0,
  url: '',
};

describe(retryAfterOf.name, () => {
  it.each([
    [{ retryAfter: 3_000 }, 3_000],
    [{ retryAfter: 3_000, timeToReset: 4_000 }, 4_000],
    [{}, 1_000],
    [{ retryAfter: -1_000, timeToReset: -1 }, 1_000],
    [{ retryAfter: 64.57 }, 1_000],
    [{ retryAfter: Number.NaN }, 1_000],
    // A longer value overflows the timer, which then fires at once.
    [{ retryAfter: 9_999_999_050 }, 86_400_000],
    [{ timeToReset: 9_999_999_050 }, 86_400_000],
  ])('reads %j as a pause of %d ms', (fields, ms) => {
    expect(retryAfterOf(new RateLimitError({ ...LIMIT, ...fields }))).toBe(ms);
  });

  it('is undefined for errors other than a rate limit', () => {
    expect(retryAfterOf(new TypeError('x'))).toBeUndefined();
  });
});
