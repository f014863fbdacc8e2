import { LocalPacer } from './local-pacer';

const PERSON_MS = 6_000;
const LONGEST_MS = 2_000;

describe(LocalPacer.name, () => {
  let now: number;
  let sut: LocalPacer;

  beforeEach(() => {
    now = 1_000_000;
    sut = new LocalPacer({ now: () => now });
  });

  const number = { key: 'number', intervalMs: 12.5, burst: 1 };
  const person = (key: string) => ({ key, intervalMs: PERSON_MS, burst: 45 });
  const ask = (key: string) => sut.turnIn([person(key), number], LONGEST_MS);
  const askAll = (count: number, key: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ask(key(index)));

  it('gives each message the next turn, up to the maximum wait', () => {
    expect(askAll(4, String)).toEqual([0, 12.5, 25, 37.5]);
    const others = askAll(400, String);
    expect(others.filter((wait) => wait <= LONGEST_MS)).toHaveLength(157);
    now += 1_000;
    expect(ask('one more')).toBe(LONGEST_MS - 1_000 + 12.5);
  });

  it('gives each message without a turn its own retry time within five minutes, and all are sent in the end', () => {
    for (let index = 0; index < 45; index += 1) sut.turnIn([person('a')], LONGEST_MS);
    const told = Array.from({ length: 100 }, () => sut.turnIn([person('a')], LONGEST_MS));
    expect(told.slice(0, 3)).toEqual([6_000, 12_000, 18_000]);
    expect(Math.max(...told)).toBe(300_000);
    const sentAt: number[] = [];
    let waiting = told.map((wait) => now + wait);
    while (waiting.length > 0) {
      now = Math.min(...waiting);
      waiting = waiting.flatMap((at) => {
        const waitMs = at > now ? at - now : sut.turnIn([person('a')], 0);
        if (waitMs === 0) sentAt.push(now);
        return waitMs === 0 ? [] : [now + waitMs];
      });
    }
    expect(sentAt).toEqual(Array.from({ length: 100 }, (_, index) => 1_000_000 + (index + 1) * PERSON_MS));
  });

  it('uses no turn of the number for a message whose person is paced', () => {
    for (let index = 0; index < 45; index += 1) sut.turnIn([person('a')], LONGEST_MS);
    askAll(1_000, () => 'a');
    expect(ask('b')).toBe(0);
  });

  it('allows a burst again after enough time', () => {
    for (let index = 0; index < 45; index += 1) sut.turnIn([person('a')], LONGEST_MS);
    now += 10 * PERSON_MS;
    expect(Array.from({ length: 10 }, () => sut.turnIn([person('a')], LONGEST_MS))).toEqual(Array(10).fill(0));
    expect(sut.turnIn([person('a')], LONGEST_MS)).toBe(PERSON_MS);
  });

  it('removes entries that it no longer needs', () => {
    for (let index = 0; index < 25_000; index += 1) {
      ask(String(index));
      now += 100;
    }
    expect(sut.size).toBeLessThanOrEqual(10_001);
  });
});
