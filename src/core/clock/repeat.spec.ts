import { repeat } from './repeat';

describe(repeat.name, () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('runs the task again and again until it is ended', () => {
    const times: number[] = [];
    const end = repeat(100, () => times.push(Date.now()));
    const begunAt = Date.now();
    jest.advanceTimersByTime(350);
    end();
    jest.advanceTimersByTime(1_000);
    expect(times.map((at) => at - begunAt)).toEqual([100, 200, 300]);
  });

  it('does not keep the process alive', () => {
    const setInterval = jest.spyOn(globalThis, 'setInterval');
    repeat(100, () => undefined);
    expect((setInterval.mock.results[0]!.value as NodeJS.Timeout).hasRef()).toBe(false);
  });
});
