import { Semaphore } from './semaphore';

/** Whether a promise has settled once all pending callbacks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise(setImmediate);
  return settled;
}

describe(Semaphore, () => {
  it('runs as many tasks at once as it has slots, the others in order of arrival', async () => {
    const sut = new Semaphore(2);
    const order: number[] = [];
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const tasks = gates.map(({ promise }, index) => sut.run(() => (order.push(index), promise)));
    await new Promise(setImmediate);
    expect(order).toEqual([0, 1]);
    gates[1]!.resolve();
    await tasks[1];
    await new Promise(setImmediate);
    expect(order).toEqual([0, 1, 2]);
    gates.forEach(({ resolve }) => resolve());
    await Promise.all(tasks);
  });

  it('frees the slot of a task that fails', async () => {
    const sut = new Semaphore(1);
    await expect(sut.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(sut.run(() => Promise.resolve('yes'))).resolves.toBe('yes');
  });

  it('grants a share completely or not at all, and never a later small share before an earlier large one', async () => {
    const sut = new Semaphore(10);
    const release = await sut.take(6);
    const [large, small] = [sut.take(8), sut.take(1)];
    expect(await isSettled(large)).toBe(false);
    expect(await isSettled(small)).toBe(false);
    release();
    expect(await isSettled(large)).toBe(true);
    expect(await isSettled(small)).toBe(true);
  });

  it('lets later tasks run when the first one aborts', async () => {
    const sut = new Semaphore(10);
    await sut.take(6);
    const giveUp = new AbortController();
    const [large, small] = [sut.take(8, giveUp.signal), sut.take(4)];
    giveUp.abort(new Error('too late'));
    await expect(large).rejects.toThrow('too late');
    expect(await isSettled(small)).toBe(true);
    await expect(sut.take(1, giveUp.signal)).rejects.toThrow('too late');
  });
});
