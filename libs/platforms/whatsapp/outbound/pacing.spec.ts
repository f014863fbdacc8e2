import type { Pace } from '../../pacer.port';
import { Pacing } from './pacing';

describe(Pacing.name, () => {
  let asked: Pace[][];
  const pacer = {
    turnIn: (paces: readonly Pace[]) => {
      asked.push([...paces]);
      return 0;
    },
  };

  beforeEach(() => {
    asked = [];
  });

  it('waits for the person first: a burst of 45, then one in six seconds', () => {
    expect(new Pacing('7', 80, pacer).turnIn('49170')).toBe(0);
    expect(asked[0]![0]).toEqual({ key: 'whatsapp:7:49170', intervalMs: 6_000, burst: 45 });
  });

  it.each([
    [undefined, 12.5, 4],
    [80, 12.5, 4],
    [1_000, 1, 50],
    [1, 1_000, 1],
  ])('paces a number with %p messages a second: one in %p ms, %i at once', async (perSecond, intervalMs, burst) => {
    await new Pacing('7', perSecond, pacer).turnIn('49170');
    expect(asked[0]![1]).toEqual({ key: 'whatsapp:7', intervalMs, burst });
  });

  it('sends at most 20 a second once the business app uses the number too', async () => {
    const sut = new Pacing('7', 1_000, pacer);
    sut.coexists();
    await sut.turnIn('49170');
    expect(asked[0]![1]).toEqual({ key: 'whatsapp:7', intervalMs: 50, burst: 1 });
  });

  it('does not pace without a pacer', () => {
    expect(new Pacing('7', 80, undefined).turnIn('49170')).toBe(0);
  });
});
