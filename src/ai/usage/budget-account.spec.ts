import { setImmediate } from 'node:timers/promises';
import { BudgetAccount } from './budget-account';
import type { SpendingChange, SpendingRows, SpendingState } from './spending-rows.service';

const CEILING = 1_000;

describe(BudgetAccount.name, () => {
  it('refuses no call that fits because another came while the database was asked', async () => {
    const exchanges: { change: SpendingChange; answer: (state: SpendingState) => void }[] = [];
    const rows = {
      open: () => Promise.resolve(),
      exchange: (_: unknown, change: SpendingChange) =>
        new Promise<SpendingState>((answer) => void exchanges.push({ change, answer })),
    };
    const key = { owner: 'live', period: 'day', startsOn: '2026-11-01' } as const;
    const sut = new BudgetAccount(key, rows as unknown as SpendingRows, () => undefined);
    const exchanged = async (index: number, more = 0) => {
      while (!exchanges[index]) await setImmediate();
      const { change, answer } = exchanges[index];
      answer({ spent: 0, held: 100, granted: (change.need ?? 0) + more });
    };
    const first = sut.reserve(10, CEILING);
    await exchanged(0, 2);
    expect(await first).toBe(true);

    const second = sut.reserve(5, CEILING);
    while (!exchanges[1]) await setImmediate();
    const third = sut.reserve(2, CEILING);
    await exchanged(1);
    expect(await second).toBe(true);
    await exchanged(2);
    expect(await third).toBe(true);
  });
});
