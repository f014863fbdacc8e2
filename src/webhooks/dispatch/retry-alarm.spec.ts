import { eventually } from '../../../test/support/eventually';
import { RetryAlarm } from './retry-alarm';

describe(RetryAlarm.name, () => {
  let rings: number[];
  let sut: RetryAlarm;

  beforeEach(() => {
    rings = [];
    sut = new RetryAlarm(() => rings.push(performance.now()));
  });
  afterEach(() => sut.stop());

  it('rings once for all retries of a moment, not before any of them is due', async () => {
    const begun = performance.now();
    for (let count = 0; count < 1_000; count++) sut.after(20);
    const asked = performance.now();
    await eventually('the last one is due', () => expect(performance.now()).toBeGreaterThan(asked + 150));
    expect(rings.length).toBeGreaterThan(0);
    // As many slots as the asking itself took.
    expect(rings.length).toBeLessThanOrEqual(2 + (asked - begun) / 50);
    expect(rings.at(-1)! - begun).toBeGreaterThanOrEqual(20);
  });

  it('rings for an earlier retry that is asked for later, and again for the other', async () => {
    const begun = performance.now();
    sut.after(400);
    sut.after(0);
    await eventually('it rings', () => expect(rings).toHaveLength(1), { everyMs: 5 });
    expect(rings[0]! - begun).toBeLessThan(400);
    await eventually('it rings again', () => expect(rings).toHaveLength(2));
    expect(rings[1]! - begun).toBeGreaterThanOrEqual(399);
  });

  it('keeps nothing running for what is far away, nor once it has stopped', () => {
    const set = jest.spyOn(globalThis, 'setTimeout');
    sut.after(3_600_000);
    expect(set).not.toHaveBeenCalled();
    set.mockRestore();
    const clear = jest.spyOn(globalThis, 'clearTimeout');
    sut.after(1_000);
    sut.stop();
    expect(clear).toHaveBeenCalledTimes(1);
    clear.mockRestore();
  });
});
