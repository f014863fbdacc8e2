import type { Configuration } from '../config/configuration';
import { HostRate } from './host-rate.service';

const URL_OF_HOST = 'https://receiver.test/hook';
/** A timer may fire this much early, in milliseconds. */
const EARLY_MS = 5;

describe(HostRate.name, () => {
  const startedWith = (hostRate: number) => new HostRate({ webhooks: { hostRate } } as Configuration);
  const { signal } = new AbortController();

  it('spaces posts to a host at its rate, in the order of the calls', async () => {
    const sut = startedWith(20);
    const order: number[] = [];
    const startedAt = performance.now();
    const times = await Promise.all(
      [0, 1, 2, 3].map(async (post) => {
        await sut.turn(URL_OF_HOST, signal, 'live');
        order.push(post);
        return performance.now();
      }),
    );
    expect(order).toEqual([0, 1, 2, 3]);
    for (const [post, time] of times.entries()) expect(time - startedAt).toBeGreaterThanOrEqual(post * 50 - EARLY_MS);
  });

  it('lets a live post pass test posts that wait', async () => {
    const sut = startedWith(10);
    const order: string[] = [];
    const turn = async (environment: 'live' | 'test') => {
      await sut.turn(URL_OF_HOST, signal, environment);
      order.push(environment);
    };
    await Promise.all([turn('test'), turn('test'), turn('test'), turn('live')]);
    expect(order).toEqual(['test', 'live', 'test', 'test']);
  });

  it('does not delay other hosts', async () => {
    const sut = startedWith(0.001);
    await sut.turn(URL_OF_HOST, signal, 'live');
    await expect(sut.turn('https://other.test/hook', signal, 'live')).resolves.toBeUndefined();
  });

  it('counts a post that skips the queue', async () => {
    const sut = startedWith(10);
    sut.count(URL_OF_HOST);
    const startedAt = performance.now();
    await sut.turn(URL_OF_HOST, signal, 'live');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(100 - EARLY_MS);
  });

  it('rejects a waiting post when its signal aborts', async () => {
    const sut = startedWith(0.001);
    sut.count(URL_OF_HOST);
    const stop = new AbortController();
    const turn = sut.turn(URL_OF_HOST, stop.signal, 'live');
    stop.abort();
    await expect(turn).rejects.toThrow('aborted');
  });

  it('delays nothing if the rate is 0', async () => {
    const sut = startedWith(0);
    await Promise.all(Array.from({ length: 100 }, () => sut.turn(URL_OF_HOST, signal, 'live')));
  });
});
