import { Clock } from '../clock/clock.service';
import { ClockSync } from './clock-sync.service';
import type { Database } from './database.service';

const MINUTE_MS = 60_000;

describe(ClockSync.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('follows the database within a minute after the machine slept, also after a failed measurement', async () => {
    let fails = false;
    const query = () =>
      fails ? Promise.reject(new Error('the database is unavailable')) : Promise.resolve([{ ms: String(Date.now()) }]);
    const clock = new Clock();
    const sut = new ClockSync({ query } as unknown as Database, clock);
    await sut.onModuleInit();

    // The database's clock goes on; the machine's monotonic clock stands still.
    jest.setSystemTime(Date.now() + 10 * MINUTE_MS);
    fails = true;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(Date.now() - clock.now()).toBeGreaterThan(9 * MINUTE_MS);
    fails = false;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(Math.abs(Date.now() - clock.now())).toBeLessThan(2);
    sut.beforeApplicationShutdown();
  });
});
