import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { retryUntilPersisted } from './retry-until-persisted';

function refusal(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code });
}

describe(retryUntilPersisted.name, () => {
  it('retries until an outage ends', async () => {
    let tries = 0;
    const record = () => (++tries < 4 ? Promise.reject(new Error('unavailable')) : Promise.resolve('recorded'));
    expect(await retryUntilPersisted(record)).toBe('recorded');
    expect(tries).toBe(4);
  });

  it('retries a write that conflicted with another transaction', async () => {
    let tries = 0;
    const record = () => (++tries < 2 ? Promise.reject(refusal('40P01')) : Promise.resolve('recorded'));
    expect(await retryUntilPersisted(record)).toBe('recorded');
  });

  it.each([
    ['a statement', refusal('23505')],
    ['a repository', new QueryFailedError('INSERT', [], refusal('23505'))],
  ])('does not retry a write that the database rejects, run by %s', async (_, error) => {
    let tries = 0;
    const record = () => {
      tries++;
      return Promise.reject(error);
    };
    await expect(retryUntilPersisted(record)).rejects.toMatchObject({ code: '23505' });
    expect(tries).toBe(1);
  });

  it('throws the last error when its signal aborts', async () => {
    const controller = new AbortController();
    const recording = retryUntilPersisted(() => Promise.reject(new Error('unavailable')), controller.signal);
    controller.abort();
    await expect(recording).rejects.toThrow('unavailable');
  });
});
