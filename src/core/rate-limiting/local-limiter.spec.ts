import * as fc from 'fast-check';
import { LocalLimiter } from './local-limiter';
import type { Window } from './sliding-window';

const START = 1_764_000_000_000;
const MINUTE: Window = { limit: 3, seconds: 60 };

function makeSut(): { sut: LocalLimiter; clock: { now(): number; advance(ms: number): void } } {
  let now = START;
  const clock = { now: () => now, advance: (ms: number) => void (now += ms) };
  return { sut: new LocalLimiter(clock), clock };
}

/** The most events in any interval of `lengthMs`, without its start: one window after an event there is room for another. */
function mostIn(times: number[], lengthMs: number): number {
  return Math.max(0, ...times.map((end) => times.filter((time) => time <= end && time > end - lengthMs).length));
}

describe(LocalLimiter.name, () => {
  it('never allows more than the limit in any interval of a window, for random arrivals', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ limit: fc.integer({ min: 1, max: 12 }), seconds: fc.constantFrom(1, 7, 60, 61, 3_600, 86_400) }),
          { minLength: 1, maxLength: 3 },
        ),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 120 }),
        (windows, steps) => {
          const { sut, clock } = makeSut();
          const accepted: number[] = [];
          const longest = Math.max(...windows.map(({ seconds }) => seconds)) * 1_000;
          for (const step of steps) {
            clock.advance(Math.floor(step ** 4 * longest));
            if (sut.hit('key', windows).allowed) accepted.push(clock.now());
          }
          for (const { limit, seconds } of windows) {
            expect(mostIn(accepted, seconds * 1_000)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses only requests that an exact log with a window one bucket longer also refuses', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 100 }), (steps) => {
        const { sut, clock } = makeSut();
        const accepted: number[] = [];
        for (const step of steps) {
          clock.advance(step);
          const recent = accepted.filter((time) => time > clock.now() - 61_000).length;
          const { allowed } = sut.hit('key', [MINUTE]);
          expect(allowed || recent >= MINUTE.limit).toBe(true);
          if (allowed) accepted.push(clock.now());
        }
      }),
    );
  });

  it('allows again after Retry-After, and not before the oldest request has left', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 10, 60, 3_600, 86_400),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 20, maxLength: 60 }),
        (limit, seconds, steps) => {
          const { sut, clock } = makeSut();
          for (const step of steps) {
            clock.advance(step);
            const decision = sut.hit('key', [{ limit, seconds }]);
            if (decision.allowed) continue;
            const retryAfter = decision.retryAfterSeconds!;
            expect(retryAfter).toBeGreaterThanOrEqual(1);
            expect(retryAfter).toBeLessThanOrEqual(seconds);
            expect(decision.resetAt * 1_000).toBeGreaterThanOrEqual(clock.now());
            expect(decision.resetAt * 1_000).toBeLessThanOrEqual(clock.now() + seconds * 1_000);
            clock.advance(retryAfter * 1_000);
            expect(sut.hit('key', [{ limit, seconds }]).allowed).toBe(true);
          }
        },
      ),
    );
  });

  it('does not count a refused request', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < 3; count++) sut.hit('key', [MINUTE]);
    for (let count = 0; count < 500; count++) {
      expect(sut.hit('key', [MINUTE]).allowed).toBe(false);
      clock.advance(100);
    }
    clock.advance(11_000);
    expect(sut.hit('key', [MINUTE])).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('counts in all windows or in none', () => {
    const { sut, clock } = makeSut();
    const hour = { limit: 5, seconds: 3_600 };
    for (let count = 0; count < 4; count++) sut.hit('key', [{ limit: 3, seconds: 60 }, hour]);
    clock.advance(61_000);
    expect(sut.hit('key', [{ limit: 3, seconds: 60 }, hour])).toMatchObject({ allowed: true, windowSeconds: 3_600 });
    expect(sut.hit('key', [{ limit: 3, seconds: 60 }, hour])).toMatchObject({ remaining: 0, windowSeconds: 3_600 });
    expect(sut.hit('key', [{ limit: 9, seconds: 60 }, hour])).toMatchObject({ allowed: false, windowSeconds: 3_600 });
    // The hour refused the request: the minute still has two left.
    expect(sut.hit('key', [{ limit: 3, seconds: 60 }])).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('describes the window with the fewest requests left, and of two with equally few the one that frees last', () => {
    const { sut, clock } = makeSut();
    const minute = { limit: 10, seconds: 60 };
    expect(sut.hit('a', [minute, { limit: 8, seconds: 3_600 }])).toMatchObject({ limit: 8, remaining: 7 });
    const equal = [minute, { limit: 10, seconds: 3_600 }];
    expect(sut.hit('b', equal)).toMatchObject({ windowSeconds: 3_600, remaining: 9 });
    expect(sut.hit('c', equal.toReversed())).toMatchObject({ windowSeconds: 3_600, remaining: 9 });
    const both = [
      { ...minute, limit: 1 },
      { limit: 1, seconds: 3_600 },
    ];
    const { remaining, resetAt } = sut.hit('d', both);
    expect(remaining).toBe(0);
    // A client that waits until the reset is not refused.
    clock.advance(resetAt * 1_000 - START);
    expect(sut.hit('d', both).allowed).toBe(true);
  });

  it('names the window that stays full longest if several refuse', () => {
    const { sut, clock } = makeSut();
    const windows = [
      { limit: 1, seconds: 60 },
      { limit: 1, seconds: 3_600 },
    ];
    sut.hit('key', windows);
    const decision = sut.hit('key', windows);
    expect(decision).toMatchObject({ allowed: false, limit: 1, windowSeconds: 3_600 });
    clock.advance(decision.retryAfterSeconds! * 1_000);
    expect(sut.hit('key', windows).allowed).toBe(true);
  });

  it.each([0, 300, 999])('counts no request for longer than its window, %d ms into a second', (ms) => {
    for (const seconds of [1, 7, 60, 3_600, 86_400]) {
      const { sut, clock } = makeSut();
      const windows = [{ limit: 1, seconds }];
      clock.advance(ms);
      const resetAt = START / 1_000 + seconds;
      expect(sut.hit('key', windows)).toMatchObject({ allowed: true, resetAt });
      expect(sut.hit('key', windows)).toMatchObject({ allowed: false, resetAt, retryAfterSeconds: seconds });
      clock.advance(seconds * 1_000 - 1);
      expect(sut.hit('key', windows)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
      clock.advance(1);
      expect(sut.hit('key', windows).allowed).toBe(true);
    }
  });

  it('resets at the whole second after the oldest request has left', () => {
    const { sut, clock } = makeSut();
    clock.advance(300);
    sut.hit('key', [MINUTE]);
    clock.advance(20_000);
    expect(sut.hit('key', [MINUTE]).resetAt).toBe(START / 1_000 + 61);
  });

  it('applies a lowered limit, and tells how long to wait', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < 10; count++) {
      sut.hit('key', [{ limit: 10, seconds: 60 }]);
      clock.advance(2_000);
    }
    const decision = sut.hit('key', [{ limit: 2, seconds: 60 }]);
    expect(decision.allowed).toBe(false);
    clock.advance(decision.retryAfterSeconds! * 1_000);
    expect(sut.hit('key', [{ limit: 2, seconds: 60 }])).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('refuses every request under a limit of zero', () => {
    const { sut } = makeSut();
    expect(sut.hit('key', [{ limit: 0, seconds: 60 }])).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
  });

  it('counts a companion with its request only, and no longer once it is given back', () => {
    const { sut, clock } = makeSut();
    const [message, windows] = [{ key: 'message', windows: [{ limit: 1, seconds: 60 }] }, [MINUTE]];
    const first = sut.hitBoth('key', windows, message);
    expect(first).toMatchObject({ decision: { allowed: true }, companion: { decision: { allowed: true } } });
    clock.advance(1_500);
    expect(sut.hitBoth('key', windows, message)).toMatchObject({
      decision: { allowed: true, remaining: 1 },
      companion: { decision: { allowed: false, limit: 1 } },
    });
    first.companion!.giveBack();
    expect(sut.hitBoth('key', windows, message).companion!.decision.allowed).toBe(true);
    const refused = sut.hitBoth('key', windows, { ...message, key: 'other' });
    expect(refused).toMatchObject({ decision: { allowed: false } });
    expect(refused.companion).toBeUndefined();
    expect(sut.hit('other', message.windows).allowed).toBe(true);
  });

  it('leaves later companions counted when one is given back after its window', () => {
    const { sut, clock } = makeSut();
    const message = { key: 'message', windows: [{ limit: 3, seconds: 60 }] };
    const late = sut.hitBoth('key', [MINUTE], message);
    clock.advance(60_000);
    expect(sut.hitBoth('key', [MINUTE], message).companion!.decision).toMatchObject({ remaining: 2 });
    late.companion!.giveBack();
    expect(sut.hit(message.key, message.windows)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('counts keys separately', () => {
    const { sut } = makeSut();
    for (let count = 0; count < 4; count++) sut.hit('a', [MINUTE]);
    expect(sut.hit('b', [MINUTE]).allowed).toBe(true);
  });

  it('never exceeds the limit when the clock is set back', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < 3; count++) sut.hit('key', [MINUTE]);
    clock.advance(-30_000);
    expect(sut.hit('key', [MINUTE]).allowed).toBe(false);
    clock.advance(91_000);
    expect(sut.hit('key', [MINUTE]).allowed).toBe(true);
  });

  it('forgets keys that were idle for a window', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < 1_000; count++) sut.hit(`key ${count}`, [MINUTE]);
    clock.advance(122_000);
    sut.hit('other', [MINUTE]);
    expect(sut.size).toBe(1);
  });

  it('throws without a window, and for a window of zero seconds', () => {
    const { sut } = makeSut();
    expect(() => sut.hit('key', [])).toThrow(RangeError);
    expect(() => sut.hit('key', [{ limit: 1, seconds: 0 }])).toThrow(RangeError);
  });
});
