import { Clock } from './clock.service';

describe(Clock.name, () => {
  it('does not jump when the system time is set', () => {
    const sut = new Clock();
    const before = sut.now();
    const set = jest.spyOn(Date, 'now').mockReturnValue(before + 3_600_000);
    try {
      expect(sut.now() - before).toBeLessThan(1_000);
    } finally {
      set.mockRestore();
    }
  });

  it('is adjusted by its offset, in whole milliseconds', () => {
    const sut = new Clock();
    const before = sut.now();
    sut.adjust(-60_000.5);
    expect(before - sut.now()).toBeGreaterThan(59_000);
    expect(Number.isInteger(sut.now())).toBe(true);
    expect(sut.date().getTime()).toBeLessThanOrEqual(sut.now());
  });
});
