import { LimiterStorage } from './limiter-storage.service';
import { LocalLimiter } from './local-limiter';

describe(LimiterStorage, () => {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const storage = new LimiterStorage(new LocalLimiter(clock));

  it('counts allowed requests, and no refused ones', async () => {
    const increment = () => storage.increment('a', 60_000, 2);
    expect(await increment()).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
    expect(await increment()).toMatchObject({ totalHits: 2, isBlocked: false });
    clock.ms += 30_000;
    const refused = { totalHits: 3, timeToExpire: 30, isBlocked: true, timeToBlockExpire: 30 };
    expect(await increment()).toEqual(refused);
    expect(await increment()).toEqual(refused);
    clock.ms += 31_000;
    expect(await increment()).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('decides on several windows in one step', async () => {
    const windows = [
      { limit: 5, seconds: 60 },
      { limit: 1, seconds: 3_600 },
    ];
    expect(await storage.hit('b', windows)).toMatchObject({ allowed: true, windowSeconds: 3_600 });
    expect(await storage.hit('b', windows)).toMatchObject({ allowed: false, windowSeconds: 3_600 });
    const [minute] = windows;
    expect(await storage.hit('b', [minute!])).toMatchObject({ allowed: true, remaining: 3 });
  });
});
