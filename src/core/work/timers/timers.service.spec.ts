import { setTimeout as sleep } from 'node:timers/promises';
import { idleTimers } from './timers.fixture';
import { Timers } from './timers.service';

const HOUR_MS = 3_600_000;

async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await sleep(1);
}

describe(Timers.name, () => {
  it('runs each job repeatedly, from the start of the application to its stop', async () => {
    const sut = idleTimers();
    let runs = 0;
    sut.every('A job', 1, () => Promise.resolve(void runs++), { scope: 'process' });
    await sleep(5);
    expect(runs).toBe(0);
    sut.onApplicationBootstrap();
    await until(() => runs >= 3);
    await sut.beforeApplicationShutdown();
    const atStop = runs;
    await sleep(10);
    expect(runs).toBe(atStop);
  });

  it('repeats batches in one run until nothing is left', async () => {
    const sut = idleTimers();
    const batches = [true, true, false, true];
    const job = sut.every('A job', HOUR_MS, () => Promise.resolve(batches.shift()), { scope: 'process' });
    await job.run();
    expect(batches).toEqual([true]);
  });

  it('never runs two batches of a job at once', async () => {
    const sut = idleTimers();
    let running = 0;
    let most = 0;
    const job = sut.every(
      'A job',
      HOUR_MS,
      async () => {
        most = Math.max(most, ++running);
        await sleep(1);
        running -= 1;
      },
      { scope: 'process' },
    );
    await Promise.all([job.run(), job.run(), job.run()]);
    expect(most).toBe(1);
  });

  it('continues after a failure', async () => {
    const sut = idleTimers();
    let runs = 0;
    sut.every(
      'A job',
      1,
      () => {
        runs += 1;
        return Promise.reject(new Error('the database is unavailable'));
      },
      { scope: 'process' },
    );
    sut.onApplicationBootstrap();
    await until(() => runs >= 3);
    await sut.beforeApplicationShutdown();
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  it('waits at a stop for the running batch, and starts no other', async () => {
    const sut = idleTimers();
    const end = Promise.withResolvers<void>();
    let begun = 0;
    const job = sut.every(
      'A job',
      HOUR_MS,
      async () => {
        begun += 1;
        await end.promise;
        return true;
      },
      { scope: 'process' },
    );
    const run = job.run();
    await until(() => begun === 1);
    const stopped = sut.beforeApplicationShutdown();
    end.resolve();
    await Promise.all([run, stopped]);
    expect(begun).toBe(1);
  });
});
