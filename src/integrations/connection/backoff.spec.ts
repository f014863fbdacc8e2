import { backoffMs } from './backoff';

describe(backoffMs.name, () => {
  it('doubles from one second', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 1))).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('never waits longer than thirty seconds, however long the outage', () => {
    expect(backoffMs(6, 1)).toBe(30_000);
    expect(backoffMs(1_000_000, 1)).toBe(30_000);
  });

  it('leaves half of the pause to chance', () => {
    expect(backoffMs(3, 0)).toBe(2_000);
  });
});
