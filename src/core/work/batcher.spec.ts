import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Batcher, type BatcherOptions } from './batcher';

/** A batcher whose writes end when the test says so. */
function makeSut(options?: BatcherOptions) {
  const writes: { items: readonly string[]; end: PromiseWithResolvers<void> }[] = [];
  const sut = new Batcher<string>((items) => {
    const end = Promise.withResolvers<void>();
    writes.push({ items, end });
    return end.promise;
  }, options);
  return { sut, writes, written: () => writes.map(({ items }) => items) };
}

/** A batcher on a database that fails until the test repairs it. */
function breakable(options: BatcherOptions) {
  const stored: string[] = [];
  const state = { broken: true };
  const sut = new Batcher<string>((items) => {
    if (state.broken) return Promise.reject(new Error('connection lost'));
    stored.push(...items);
    return Promise.resolve();
  }, options);
  return { sut, stored, state };
}

function refusal(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

describe(Batcher.name, () => {
  it('writes items of one turn together, and so those that come during a write', async () => {
    const { sut, writes, written } = makeSut();
    const first = [sut.add('a'), sut.add('b')];
    await turn();
    const others = [sut.add('c'), sut.add('d')];
    expect(written()).toEqual([['a', 'b']]);
    writes[0]!.end.resolve();
    await Promise.all(first);
    await turn();
    expect(written()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    writes[1]!.end.resolve();
    await Promise.all(others);
  });

  it('never writes more than its size at once', async () => {
    const { sut, writes, written } = makeSut({ size: 2 });
    const all = ['a', 'b', 'c'].map((item) => sut.add(item));
    await turn();
    writes[0]!.end.resolve();
    await all[1];
    await turn();
    writes[1]!.end.resolve();
    await Promise.all(all);
    expect(written()).toEqual([['a', 'b'], ['c']]);
  });

  it('collects for a given time, or until it is flushed', async () => {
    const { sut, stored, state } = breakable({ gatherMs: 3_600_000 });
    state.broken = false;
    sut.push('a');
    await turn();
    expect(stored).toEqual([]);
    await sut.flush();
    expect(stored).toEqual(['a']);
  });

  it('writes the collected items when the time is up', async () => {
    const { sut, stored, state } = breakable({ gatherMs: 1 });
    state.broken = false;
    sut.push('a');
    sut.push('b');
    while (stored.length === 0) await sleep(1);
    expect(stored).toEqual(['a', 'b']);
  });

  it('collects again what arrives during a write', async () => {
    const { sut, writes } = makeSut({ gatherMs: 50 });
    sut.push('a');
    void sut.flush();
    await turn();
    sut.push('b');
    writes[0]!.end.resolve();
    await turn();
    sut.push('c');
    while (writes.length < 2) await turn();
    expect(writes[1]!.items).toEqual(['b', 'c']);
  });

  it('never runs two writes at once, however often it is flushed', async () => {
    const { sut, writes } = makeSut({ gatherMs: 3_600_000 });
    sut.push('a');
    const flushes = [sut.flush(), sut.flush()];
    await turn();
    sut.push('b');
    flushes.push(sut.flush());
    await turn();
    expect(writes).toHaveLength(1);
    writes[0]!.end.resolve();
    while (writes.length < 2) await turn();
    writes[1]!.end.resolve();
    await Promise.all(flushes);
    expect(writes).toHaveLength(2);
  });

  it('rejects each caller of a batch that failed, and continues', async () => {
    const { sut, writes } = makeSut();
    const first = sut.add('a');
    await turn();
    const second = sut.add('b');
    writes[0]!.end.reject(new Error('connection lost'));
    await expect(first).rejects.toThrow('connection lost');
    await turn();
    writes[1]!.end.resolve();
    await second;
  });

  it.each([
    ['one value of a batch cannot be stored', '22P05', { retryMs: 1 }],
    ['the database refuses one item of a batch', '54000', {}],
    ['one item of a batch waits too long for a lock', '57014', {}],
  ])('writes the remaining items when %s', async (_, code, options) => {
    const stored: string[] = [];
    const sut = new Batcher<string>((items) => {
      if (items.includes('bad')) return Promise.reject(refusal(code));
      stored.push(...items);
      return Promise.resolve();
    }, options);
    const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => sut.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(stored.sort()).toEqual(['a', 'b', 'c']);
  });

  it('writes what a caller adds as soon as its last write resolved', async () => {
    const stored: string[] = [];
    const sut = new Batcher<string>((items) => Promise.resolve(void stored.push(...items)));
    const add = async (item: string) => {
      await sut.add(item);
    };
    for (const item of ['a', 'b', 'c']) await add(item);
    expect(stored).toEqual(['a', 'b', 'c']);
  });

  it('does not retry what may have been committed, unless allowed to', async () => {
    let writes = 0;
    const sut = new Batcher<string>(() => {
      writes += 1;
      return Promise.reject(refusal('57P01'));
    });
    await Promise.allSettled(['a', 'b', 'c'].map((item) => sut.add(item)));
    expect(writes).toBe(1);
  });

  it('keeps what cannot be written yet, in order, and retries it', async () => {
    const failures: number[] = [];
    const { sut, stored, state } = breakable({
      size: 2,
      retryMs: 1,
      onFailure: (_, waiting) => failures.push(waiting),
    });
    const all = ['a', 'b', 'c'].map((item) => sut.add(item));
    while (failures.length < 2) await sleep(1);
    state.broken = false;
    await Promise.all(all);
    expect(stored).toEqual(['a', 'b', 'c']);
    expect(failures[0]).toBe(3);
  });

  it('keeps individually rejected items, and writes those behind them', async () => {
    const stored: string[] = [];
    let isRefused = true;
    const failures: number[] = [];
    const sut = new Batcher<string>(
      (items) => {
        if (isRefused && items.includes('bad')) return Promise.reject(refusal('54000'));
        stored.push(...items);
        return Promise.resolve();
      },
      { retryMs: 10, onFailure: (_, waiting) => failures.push(waiting) },
    );
    for (const item of ['a', 'bad', 'b']) sut.push(item);
    await sut.flush();
    expect(stored).toEqual(['a', 'b']);
    sut.push('c');
    await sut.flush();
    expect(stored).toEqual(['a', 'b', 'c']);
    isRefused = false;
    await sut.flush();
    expect(stored).toEqual(['a', 'b', 'c', 'bad']);
    expect(failures).toHaveLength(2);
  });

  it('writes items behind more rejected ones than a batch holds', async () => {
    const stored: string[] = [];
    const sut = new Batcher<string>(
      (items) => {
        if (items.some((item) => item.startsWith('bad'))) return Promise.reject(refusal('54000'));
        stored.push(...items);
        return Promise.resolve();
      },
      { size: 2, retryMs: 3_600_000 },
    );
    for (const item of ['bad 1', 'bad 2', 'bad 3', 'bad 4', 'bad 5', 'a', 'b', 'c']) sut.push(item);
    await sut.flush();
    expect(stored).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['refuses everything', '42501', 3],
    ['cancels each write', '57014', 1],
  ])('probes a database that %s with a few items, and logs once how many wait', async (_, code, asked) => {
    const written: number[] = [];
    const failures: number[] = [];
    const sut = new Batcher<number>(
      (items) => {
        written.push(items.length);
        return Promise.reject(refusal(code));
      },
      { retryMs: 3_600_000, onFailure: (_error, waiting) => failures.push(waiting) },
    );
    const all = Array.from({ length: 100 }, (_item, index) => sut.add(index));
    await sut.flush();
    expect(written).toEqual([100, ...Array.from({ length: asked }, () => 1)]);
    expect(failures).toEqual([100]);
    void sut.close();
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(all.map(() => 'rejected'));
    expect(written).toHaveLength(2 * (asked + 1));
  });

  it('stops writing a batch when the connection is lost', async () => {
    const written: string[][] = [];
    const sut = new Batcher<string>(
      (items) => {
        written.push(items);
        return Promise.reject(items.length > 1 ? refusal('54000') : new Error('connection lost'));
      },
      { retryMs: 10_000 },
    );
    for (const item of ['a', 'b', 'c']) sut.push(item);
    await sut.flush();
    expect(written).toEqual([['a', 'b', 'c'], ['a']]);
    await sut.flush();
    expect(written[2]).toEqual(['a', 'b', 'c']);
  });

  it('drops the oldest when too many wait, and logs how many', async () => {
    const dropped: number[] = [];
    const { sut, stored, state } = breakable({
      capacity: 3,
      retryMs: 3_600_000,
      onDropped: (count) => dropped.push(count),
    });
    for (const item of ['a', 'b', 'c', 'd', 'e']) sut.push(item);
    state.broken = false;
    await sut.flush();
    expect(stored).toEqual(['c', 'd', 'e']);
    expect(dropped).toEqual([1, 1]);
  });

  it('rejects what it could not write once it is closed', async () => {
    const { sut } = breakable({ retryMs: 3_600_000 });
    const waiting = sut.add('a');
    await sut.flush();
    void sut.close();
    await expect(waiting).rejects.toThrow('connection lost');
  });
});
