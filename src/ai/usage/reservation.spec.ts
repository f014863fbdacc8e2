import type { AiTokens } from '../provider/ai-provider.port';
import { spanOf } from './budget-period';
import { Reservation } from './reservation';
import type { Settlement } from './spending-rows.service';

const TOKENS: AiTokens = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
const FREE = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

describe(Reservation.name, () => {
  const makeSut = () => {
    const span = spanOf('day', Date.now());
    const key = { owner: 'live', period: 'day', startsOn: span.startsOn } as const;
    const settled: Settlement[] = [];
    const reserve = jest.fn();
    const sut = new Reservation(
      [{ environment: 'live', key, span, ceiling: 5, usd: 5e-9, scope: 'budget' }],
      0,
      [FREE],
      { reserve, settle: (settlement) => settled.push(settlement) },
    );
    return { sut, settled, reserve, key };
  };

  it('reserves and charges nothing for a model with a price of 0', async () => {
    const { sut, settled, reserve } = makeSut();
    await sut.renew();
    sut.charge('m', TOKENS, { m: FREE });
    await sut.renew();
    sut.charge('m', { ...TOKENS, isIncomplete: true }, { m: FREE });
    sut.end();
    expect([sut.isHeld, reserve.mock.calls, settled]).toEqual([false, [], []]);
  });

  it('charges the cost of another model if the one with a price of 0 did not answer', async () => {
    const { sut, settled, key } = makeSut();
    await sut.renew();
    sut.charge('claude-sonnet-5-5', TOKENS, { m: FREE });
    sut.end();
    expect(settled).toEqual([{ ...key, round: 0, spent: 2_000_000, freed: 0 }]);
  });
});
