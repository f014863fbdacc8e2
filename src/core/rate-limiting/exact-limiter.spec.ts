import * as fc from 'fast-check';
import { ExactLimiter } from './exact-limiter';

const START = 1_764_000_000_000;
const LIMIT = 3;
const SECONDS = 60;

function makeSut(limit = LIMIT, seconds = SECONDS) {
  let now = START;
  const clock = { now: () => now, advance: (ms: number) => void (now += ms) };
  return { sut: new ExactLimiter(clock, { limit, seconds }), clock };
}

/** The most events in any interval of `lengthMs`, without its start: one window after an event there is room for another. */
function mostIn(times: number[], lengthMs: number): number {
  return Math.max(0, ...times.map((end) => times.filter((time) => time <= end && time > end - lengthMs).length));
}

describe(ExactLimiter.name, () => {
  it('never allows more than the limit in any window, and allows again after the wait that it returns', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1, 7, 60),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 120 }),
        (limit, seconds, steps) => {
          const { sut, clock } = makeSut(limit, seconds);
          const accepted: number[] = [];
          for (const step of steps) {
            clock.advance(Math.floor(step ** 4 * seconds * 1_000));
            const wait = sut.hit('key');
            expect(wait).toBeLessThanOrEqual(seconds);
            clock.advance(wait * 1_000);
            expect(wait === 0 || sut.hit('key') === 0).toBe(true);
            accepted.push(clock.now());
          }
          expect(mostIn(accepted, seconds * 1_000)).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  it('rejects only hits that an exact log with a window one bucket longer also rejects', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 100 }), (steps) => {
        const { sut, clock } = makeSut();
        const accepted: number[] = [];
        for (const step of steps) {
          clock.advance(step);
          const recent = accepted.filter((time) => time > clock.now() - 61_000).length;
          const isAllowed = sut.hit('key') === 0;
          expect(isAllowed || recent >= LIMIT).toBe(true);
          if (isAllowed) accepted.push(clock.now());
        }
      }),
    );
  });

  it('counts neither a rejected hit nor a query', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < LIMIT; count++) expect([sut.waitOf('key'), sut.hit('key')]).toEqual([0, 0]);
    for (let count = 0; count < 5; count++) expect([sut.waitOf('key'), sut.hit('key')]).toEqual([60, 60]);
    clock.advance(60_000);
    expect(sut.hit('key')).toBe(0);
  });

  it('counts keys separately', () => {
    const { sut } = makeSut(1);
    expect([sut.hit('a'), sut.hit('a'), sut.hit('b')]).toEqual([0, 60, 0]);
  });

  it('never exceeds the limit when the clock is set back', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < LIMIT; count++) sut.hit('key');
    clock.advance(-30_000);
    expect(sut.hit('key')).toBe(60);
    clock.advance(90_000);
    expect(sut.hit('key')).toBe(0);
  });

  it('forgets keys that were idle for a window', () => {
    const { sut, clock } = makeSut();
    for (let count = 0; count < 1_000; count++) sut.hit(`key ${count}`);
    clock.advance(60_001);
    sut.hit('other');
    expect(sut.size).toBe(1);
  });
});
