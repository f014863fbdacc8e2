import { setImmediate as turn } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Batcher } from './batcher';

/** A write that ends when the test says so. */
function makeSut() {
  const writes: { items: readonly string[]; end: PromiseWithResolvers<void> }[] = [];
  const sut = new Batcher<string>((items) => {
    const end = Promise.withResolvers<void>();
    writes.push({ items, end });
    return end.promise;
  });
  return { sut, writes };
}

function refusal(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

describe(Batcher.name, () => {
  it('writes at once, and together what comes meanwhile', async () => {
    const { sut, writes } = makeSut();
    const first = sut.add('a');
    const others = [sut.add('b'), sut.add('c')];
    expect(writes.map(({ items }) => items)).toEqual([['a']]);
    writes[0]!.end.resolve();
    await first;
    await turn();
    expect(writes.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
    writes[1]!.end.resolve();
    await Promise.all(others);
  });

  it('tells everybody of a batch that failed, and goes on', async () => {
    const { sut, writes } = makeSut();
    const first = sut.add('a');
    const second = sut.add('b');
    writes[0]!.end.reject(new Error('connection lost'));
    await expect(first).rejects.toThrow('connection lost');
    await turn();
    writes[1]!.end.resolve();
    await second;
  });

  it('writes the rest when one value of a batch cannot be stored', async () => {
    const stored: string[] = [];
    const sut = new Batcher<string>((items) => {
      if (items.includes('bad')) return Promise.reject(refusal('22P05'));
      stored.push(...items);
      return Promise.resolve();
    });
    const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => sut.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(stored.sort()).toEqual(['a', 'b', 'c']);
  });

  it('never writes again what may have been committed', async () => {
    let writes = 0;
    const sut = new Batcher<string>(() => {
      writes += 1;
      return Promise.reject(refusal('57P01'));
    });
    await Promise.allSettled(['a', 'b', 'c'].map((item) => sut.add(item)));
    expect(writes).toBe(2);
  });
});
