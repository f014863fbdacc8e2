import { setImmediate } from 'node:timers/promises';
import { BudgetAccount } from './budget-account';
import type { SpendingChange, SpendingRows, SpendingState } from './spending-rows.service';

const CEILING = 1_000;

describe(BudgetAccount.name, () => {
  const exchanges: { change: SpendingChange; answer: (state: SpendingState) => void }[] = [];
  let account: BudgetAccount;
  beforeEach(() => {
    exchanges.length = 0;
    const rows = {
      open: () => Promise.resolve(),
      exchange: (_: unknown, change: SpendingChange) =>
        new Promise<SpendingState>((answer) => void exchanges.push({ change, answer })),
    };
    const key = { owner: 'live', period: 'day', startsOn: '2026-11-01' } as const;
    account = new BudgetAccount(key, rows as unknown as SpendingRows, () => undefined);
  });

  /** The database holds so much for the process after the exchange, and has granted what was needed, and more. */
  const exchanged = async (index: number, held: number, more = 0) => {
    while (!exchanges[index]) await setImmediate();
    const { change, answer } = exchanges[index];
    answer({ spent: 0, held, granted: (change.need ?? 0) + more });
  };

  it('refuses no call that fits because another came while the database was asked', async () => {
    const first = account.reserve(10, CEILING);
    await exchanged(0, 100, 2);
    expect(await first).toBe(true);

    const second = account.reserve(5, CEILING);
    while (!exchanges[1]) await setImmediate();
    const third = account.reserve(2, CEILING);
    await exchanged(1, 100);
    expect(await second).toBe(true);
    await exchanged(2, 100);
    expect(await third).toBe(true);
  });

  it('refuses no call that fits because what a refused one left is being given back', async () => {
    const first = account.reserve(900, CEILING);
    await exchanged(0, 900);
    expect(await first).toBe(true);
    account.release(900, CEILING);

    const refused = account.reserve(1_050, CEILING);
    while (!exchanges[1]) await setImmediate();
    exchanges[1].answer({ spent: 0, held: 900, granted: 0 });
    expect(await refused).toBe(false);
    while (!exchanges[2]) await setImmediate();
    const back = exchanges[2].change.back;
    expect(back).toBeGreaterThan(500);
    const second = account.reserve(950, CEILING);
    await exchanged(2, 900 - back);
    await exchanged(3, 950);
    expect(await second).toBe(true);
  });
});
