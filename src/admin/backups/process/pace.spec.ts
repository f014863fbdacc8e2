import { eventually } from '../../../../test/support/eventually';
import { watchPace } from './pace';

/** Keeps the process busy for that long, in milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe(watchPace.name, () => {
  it('tells once when the process begins to be busy, and once when that ends', async () => {
    const told: boolean[] = [];
    const stop = watchPace((busy) => told.push(busy));
    try {
      const requests = setInterval(() => work(8), 1);
      await eventually('it is told', () => expect(told).toEqual([true]), { everyMs: 100 });
      clearInterval(requests);
      await eventually('it is told of the end', () => expect(told).toEqual([true, false]), { everyMs: 100 });
    } finally {
      stop();
    }
  });
});
