import { backoffMs } from './backoff';

const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

describe(backoffMs.name, () => {
  it('doubles from its base', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, BACKOFF, 1))).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('never waits longer than its maximum, however long the outage', () => {
    expect(backoffMs(6, BACKOFF, 1)).toBe(30_000);
    expect(backoffMs(1_000_000, BACKOFF, 1)).toBe(30_000);
  });

  it('randomises half of the pause', () => {
    expect(backoffMs(3, BACKOFF, 0)).toBe(2_000);
  });
});
