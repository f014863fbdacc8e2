import type { Configuration } from '../../core/config/configuration';
import { HostRate } from './host-rate.service';

const RATE = 10;
const URL_OF_HOST = 'https://receiver.test/hook';

describe('HostRate', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const startedWith = (hostRate: number) => new HostRate({ webhooks: { hostRate } } as Configuration);

  /** Asks for turns, and collects when they came. */
  const departuresOf = (rate: HostRate, count: number, url = URL_OF_HOST): number[] => {
    const departures: number[] = [];
    for (let post = 0; post < count; post += 1) {
      void rate.turn(url, new AbortController().signal, 'live').then(() => departures.push(performance.now()));
    }
    return departures;
  };

  it('lets at most the limit go in any second, each as early as possible, and all in the end', async () => {
    const rate = startedWith(RATE);
    const departures = departuresOf(rate, 13);
    await jest.advanceTimersByTimeAsync(400);
    const later = departuresOf(rate, 14);
    await jest.advanceTimersByTimeAsync(5_000);
    const times = [...departures, ...later].toSorted((a, b) => a - b);
    expect(times).toHaveLength(27);
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(RATE);
    expect(times.at(-1)! - times[0]!).toBeLessThan(2_100);
  });

  it('keeps the order of the calls', async () => {
    const rate = startedWith(1);
    const order: number[] = [];
    for (const post of [1, 2, 3]) {
      void rate.turn(URL_OF_HOST, new AbortController().signal, 'live').then(() => order.push(post));
    }
    await jest.advanceTimersByTimeAsync(3_000);
    expect(order).toEqual([1, 2, 3]);
  });

  it('lets a live post go before test posts that came earlier', async () => {
    const rate = startedWith(1);
    const order: string[] = [];
    for (const environment of ['test', 'test', 'test', 'live'] as const) {
      void rate.turn(URL_OF_HOST, new AbortController().signal, environment).then(() => order.push(environment));
    }
    await jest.advanceTimersByTimeAsync(4_000);
    expect(order).toEqual(['test', 'live', 'test', 'test']);
  });

  it('delays no other host', async () => {
    const rate = startedWith(1);
    const held = departuresOf(rate, 3);
    const other = departuresOf(rate, 1, 'https://other.test/hook');
    await jest.advanceTimersByTimeAsync(0);
    expect([held.length, other.length]).toEqual([1, 1]);
  });

  it('counts a post that goes without a turn', async () => {
    const rate = startedWith(1);
    rate.count(URL_OF_HOST);
    const held = departuresOf(rate, 1);
    await jest.advanceTimersByTimeAsync(900);
    expect(held).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(held).toHaveLength(1);
  });

  it('gives the turn of a cancelled post to the next', async () => {
    const rate = startedWith(1);
    departuresOf(rate, 1);
    const gaveUp = new AbortController();
    const turn = rate.turn(URL_OF_HOST, gaveUp.signal, 'live');
    const next = departuresOf(rate, 1);
    gaveUp.abort(new Error('gave up'));
    await expect(turn).rejects.toThrow('gave up');
    await jest.advanceTimersByTimeAsync(1_100);
    expect(next).toHaveLength(1);
  });

  it('rejects the waiting turns when it closes, and every later one that would wait', async () => {
    const rate = startedWith(1);
    departuresOf(rate, 1);
    const waiting = rate.turn(URL_OF_HOST, new AbortController().signal, 'live');
    rate.close(new Error('it stops'));
    await expect(waiting).rejects.toThrow('it stops');
    await expect(rate.turn(URL_OF_HOST, new AbortController().signal, 'live')).rejects.toThrow('it stops');
  });

  it('holds nothing back at a limit of 0', async () => {
    const departures = departuresOf(startedWith(0), 100);
    await jest.advanceTimersByTimeAsync(0);
    expect(departures).toHaveLength(100);
  });
});
