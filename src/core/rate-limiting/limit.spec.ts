import { decide, type Window } from './limit';

const NOW = 1_764_000_000_500;
const NOW_SECONDS = 1_764_000_000;
const MINUTE: Window = { limit: 10, seconds: 60 };
const HOUR: Window = { limit: 20, seconds: 3_600 };
const state = (totalHits: number, timeToExpire: number) => ({ totalHits, timeToExpire });

describe(decide.name, () => {
  it('describes the window with the fewest requests left', () => {
    const decision = decide([MINUTE, HOUR], [state(3, 30.2), state(15, 100)], NOW);
    const resetAt = NOW_SECONDS + 101;
    expect(decision).toEqual({ allowed: true, limit: 20, remaining: 5, resetAt, windowSeconds: 3_600 });
  });

  it('describes the window that ends last if equally many requests are left', () => {
    const states = [state(10, 50), state(20, 40)];
    expect(decide([MINUTE, HOUR], states, NOW)).toMatchObject({ allowed: true, remaining: 0, windowSeconds: 60 });
    const reversed = decide([HOUR, MINUTE], states.toReversed(), NOW);
    expect(reversed).toMatchObject({ allowed: true, remaining: 0, windowSeconds: 60 });
  });

  it('rejects a request above a limit, and names the window that stays full longest', () => {
    const decision = decide([MINUTE, HOUR], [state(11, 30), state(25, 100.1)], NOW);
    const resetAt = NOW_SECONDS + 101;
    const tighter = { limit: 20, remaining: 0, resetAt, windowSeconds: 3_600 };
    expect(decision).toEqual({ allowed: false, ...tighter, retryAfterSeconds: 101 });
    expect(decide([MINUTE, HOUR], [state(11, 30), state(20, 100)], NOW)).toMatchObject({ windowSeconds: 60 });
  });

  it('waits between a second and a window, and resets within a window', () => {
    expect(decide([MINUTE], [state(11, 0.01)], NOW)).toMatchObject({ retryAfterSeconds: 1 });
    const afterClockChange = decide([MINUTE], [state(11, 4_000)], NOW);
    expect(afterClockChange).toMatchObject({ retryAfterSeconds: 60, resetAt: NOW_SECONDS + 60 });
    expect(decide([MINUTE], [state(1, 60)], NOW).resetAt).toBe(NOW_SECONDS + 60);
  });
});
