import { Clock } from '../clock/clock.service';
import { ClockSync } from './clock-sync.service';
import type { Database } from './database.service';

const HALF_A_MINUTE_MS = 30_000;
const SECOND_MS = 1_000;
const SLEPT_MS = 60_000;

/** A machine whose monotonic clock can stand still, and a database whose clock goes on. */
async function makeSut() {
  const asked: { answer: () => void; fail: () => void }[] = [];
  let holds = false;
  const query = () => {
    const { promise, resolve, reject } = Promise.withResolvers<{ ms: string }[]>();
    const call = {
      answer: () => resolve([{ ms: String(Date.now()) }]),
      fail: () => reject(new Error('the database is unavailable')),
    };
    asked.push(call);
    if (!holds) call.answer();
    return promise;
  };
  const clock = new Clock();
  const sut = new ClockSync({ query } as unknown as Database, clock);
  await sut.onModuleInit();
  holds = true;
  return { sut, clock, asked };
}

describe(ClockSync.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const sleep = () => jest.setSystemTime(Date.now() + SLEPT_MS);
  const behind = (clock: Clock) => Date.now() - clock.now();

  it('measures again a second later when the machine slept and the database did not answer', async () => {
    const { sut, clock, asked } = await makeSut();
    sleep();
    await jest.advanceTimersByTimeAsync(SECOND_MS);
    expect(asked).toHaveLength(2);
    asked[1]!.fail();
    await jest.advanceTimersByTimeAsync(SECOND_MS);
    expect(asked).toHaveLength(3);
    asked[2]!.answer();
    await jest.advanceTimersByTimeAsync(0);
    expect(Math.abs(behind(clock))).toBeLessThan(2);
    await jest.advanceTimersByTimeAsync(5 * SECOND_MS);
    expect(asked).toHaveLength(3);
    sut.beforeApplicationShutdown();
  });

  it('runs one measurement at a time, and adjusts by a difference once', async () => {
    const { sut, clock, asked } = await makeSut();
    await jest.advanceTimersByTimeAsync(HALF_A_MINUTE_MS - 1.5 * SECOND_MS);
    sleep();
    // The clocks are compared after half a second; the half-minute measurement is due after 1.5 seconds.
    await jest.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect(asked).toHaveLength(2);
    asked[1]!.answer();
    await jest.advanceTimersByTimeAsync(0);
    // The error of an answer that took 1.5 seconds is up to half of that.
    expect(Math.abs(behind(clock))).toBeLessThan(SECOND_MS);
    sut.beforeApplicationShutdown();
  });
});
