import { TimeoutError, within } from './within';

describe(within.name, () => {
  it('settles as the promise does within the time', async () => {
    await expect(within(1_000, Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(within(1_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('rejects when the time is up', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(within(1, never, 'the name server is silent')).rejects.toThrow(
      new TimeoutError('the name server is silent'),
    );
  });
});
