import { eventually } from '../../../test/support/eventually';
import { CoalescingTask } from './coalescing-task';

/** A task whose runs end when told to. */
function makeSut() {
  const runs: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const started: (() => void)[] = [];
  const sut = new CoalescingTask(
    () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      started.shift()?.();
      return run.promise;
    },
    (error) => errors.push(error),
  );
  const nextRun = (): Promise<void> => new Promise((resolve) => void started.push(resolve));
  return { sut, runs, errors, nextRun };
}

describe(CoalescingTask.name, () => {
  it('runs once for all that was asked before it started', async () => {
    const { sut, runs, nextRun } = makeSut();
    const run = nextRun();
    for (let count = 0; count < 1_000; count++) sut.request();
    expect(runs).toHaveLength(0);
    await run;
    const stopped = sut.stop();
    runs[0]!.resolve();
    await stopped;
    expect(runs).toHaveLength(1);
  });

  it('runs exactly once more for all that was asked during a run, and not at the same time', async () => {
    const { sut, runs, nextRun } = makeSut();
    const first = nextRun();
    sut.request();
    await first;
    for (let count = 0; count < 10; count++) sut.request();
    expect(runs).toHaveLength(1);
    const second = nextRun();
    runs[0]!.resolve();
    await second;
    runs[1]!.resolve();
    const third = nextRun();
    await new Promise(setImmediate);
    sut.request();
    await third;
    expect(runs).toHaveLength(3);
    runs[2]!.resolve();
  });

  it('hands over what a run throws, and runs again when asked', async () => {
    const { sut, runs, errors, nextRun } = makeSut();
    const first = nextRun();
    sut.request();
    await first;
    const fault = new Error('no work today');
    const second = nextRun();
    sut.request();
    runs[0]!.reject(fault);
    await second;
    expect(errors).toEqual([fault]);
    runs[1]!.resolve();
  });

  it('lets the event loop breathe between runs of a task that always asks again', async () => {
    let runs = 0;
    const sut: CoalescingTask = new CoalescingTask(
      () => {
        runs++;
        sut.request();
        return Promise.resolve();
      },
      () => undefined,
    );
    sut.request();
    // Timers come in between: each look is a turn of the event loop that the runs have left to others.
    await eventually('it runs again and again', () => expect(runs).toBeGreaterThan(2), { everyMs: 1 });
    await sut.stop();
  });

  it('stops when the present run has ended, and starts no other', async () => {
    const { sut, runs, nextRun } = makeSut();
    const run = nextRun();
    sut.request();
    await run;
    sut.request();
    let stopped = false;
    const stop = sut.stop().then(() => (stopped = true));
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    runs[0]!.resolve();
    await stop;
    sut.request();
    await new Promise(setImmediate);
    expect(runs).toHaveLength(1);
  });
});
