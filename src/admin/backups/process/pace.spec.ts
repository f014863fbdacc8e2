import { eventually } from '../../../../test/support/eventually';
import { watchPace } from './pace';

/** Keeps the process busy for `ms` milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe(watchPace.name, () => {
  it('reports once when the process becomes busy, and once when it is idle again', async () => {
    const told: boolean[] = [];
    const stop = watchPace((busy) => told.push(busy));
    try {
      const requests = setInterval(() => work(8), 1);
      await eventually('busy is reported', () => expect(told).toEqual([true]), { everyMs: 100 });
      clearInterval(requests);
      await eventually('idle is reported', () => expect(told).toEqual([true, false]), { everyMs: 100 });
    } finally {
      stop();
    }
  });
});
