import { eventually } from '../../../test/support/eventually';
import { FlushTimer } from './flush-timer';

/** A task whose runs end when told to. */
function makeSut(delayMs: number) {
  const runs: PromiseWithResolvers<void>[] = [];
  const sut = new FlushTimer(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  }, delayMs);
  return { sut, runs };
}

describe(FlushTimer.name, () => {
  it('runs once for all that was asked within the delay, and again for what is asked later', async () => {
    const { sut, runs } = makeSut(20);
    for (let count = 0; count < 1_000; count++) sut.soon();
    expect(runs).toHaveLength(0);
    await eventually('it runs', () => expect(runs).toHaveLength(1));
    runs[0]!.resolve();
    sut.soon();
    await eventually('it runs again', () => expect(runs).toHaveLength(2));
  });

  it('asked for now, waits for the run that the timer began, and runs once more', async () => {
    const { sut, runs } = makeSut(0);
    sut.soon();
    await eventually('it runs', () => expect(runs).toHaveLength(1));
    let ended = false;
    const now = sut.now().then(() => (ended = true));
    await new Promise(setImmediate);
    expect(runs).toHaveLength(1);
    runs[0]!.resolve();
    await eventually('it runs again', () => expect(runs).toHaveLength(2));
    expect(ended).toBe(false);
    runs[1]!.resolve();
    await now;
  });

  it('asked for now, runs instead of the run that is awaited', async () => {
    const { sut, runs } = makeSut(1);
    const other = makeSut(1);
    sut.soon();
    const now = sut.now();
    await eventually('it runs', () => expect(runs).toHaveLength(1));
    runs[0]!.resolve();
    await now;
    // Timers of one length fire in the order in which they were set: that of `sut` would have, when this one has.
    other.sut.soon();
    await eventually('the other runs', () => expect(other.runs).toHaveLength(1));
    expect(runs).toHaveLength(1);
  });
});
