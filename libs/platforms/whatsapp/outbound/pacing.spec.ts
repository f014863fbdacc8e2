import { Pacing } from './pacing';

describe(Pacing.name, () => {
  let now: number;
  let sut: Pacing;

  beforeEach(() => {
    now = 1_000_000;
    sut = new Pacing(() => now);
  });

  const sendAll = (count: number, recipient: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => sut.waitMs(recipient(index)));

  it('lets a person get 45 messages at once, and then one in six seconds', () => {
    expect(sendAll(45, () => 'a')).toEqual(Array(45).fill(0));
    expect(sendAll(3, () => 'a')).toEqual([6_000, 12_000, 18_000]);
    now += 6_000;
    expect(sut.waitMs('a')).toBe(0);
    expect(sut.waitMs('b')).toBe(0);
  });

  it('lets no message wait longer than a minute before it asks again, and sends all of them in the end', () => {
    sendAll(45, () => 'a');
    let waiting = Array.from({ length: 100 }, () => now + sut.waitMs('a'));
    expect(Math.max(...waiting) - now).toBe(60_000);
    const sentAt: number[] = [];
    while (waiting.length > 0) {
      now = Math.min(...waiting);
      waiting = waiting.flatMap((at) => {
        const waitMs = at > now ? at - now : sut.waitMs('a');
        if (waitMs === 0) sentAt.push(now);
        return waitMs === 0 ? [] : [now + waitMs];
      });
    }
    expect(sentAt).toEqual(Array.from({ length: 100 }, (_, index) => 1_000_000 + (index + 1) * 6_000));
  });

  it('takes no turn of the number for a message that its person cannot get yet', () => {
    sendAll(45, () => 'a');
    sendAll(35, String);
    sendAll(1_000, () => 'a');
    expect(sut.waitMs('b')).toBeCloseTo(1_000 / 80);
  });

  it('gives a burst back with time', () => {
    sendAll(45, () => 'a');
    now += 10 * 6_000;
    expect(sendAll(10, () => 'a')).toEqual(Array(10).fill(0));
    expect(sut.waitMs('a')).toBeGreaterThan(0);
  });

  it.each([
    [80, false],
    [20, true],
  ])('sends %i messages a second (coexistence: %s)', (perSecond, coexists) => {
    if (coexists) sut.coexists();
    expect(sendAll(perSecond, String)).toEqual(Array(perSecond).fill(0));
    expect(sut.waitMs('one more')).toBeCloseTo(1_000 / perSecond);
    now += 1_000;
    expect(sendAll(perSecond, String).every((wait) => wait === 0)).toBe(true);
  });

  it('keeps no more than it needs', () => {
    for (let index = 0; index < 25_000; index++) {
      sut.waitMs(String(index));
      now += 100;
    }
    expect((sut as unknown as { persons: Map<string, unknown> }).persons.size).toBeLessThanOrEqual(10_001);
  });
});
