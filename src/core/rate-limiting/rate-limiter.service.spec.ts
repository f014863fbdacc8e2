import { Redis } from 'ioredis';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisOnPath, startRedis, type TestRedis } from '../../../test/support/redis';
import { startRedisCluster, type ClusterNode, type RedisCluster } from '../../../test/support/redis-cluster';
import type { LimitDecision } from './limit';
import { RateLimiter } from './rate-limiter.service';
import { SharedLimits } from './shared-limits';

const MINUTE = { limit: 5, seconds: 60 };
const HOUR = { limit: 8, seconds: 3_600 };

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describe(RateLimiter.name, () => {
  it('counts rejected requests in their window, which ends at a fixed time', async () => {
    const sut = new RateLimiter(Date);
    const increment = () => sut.increment('a', 1_000, 1);
    expect(await increment()).toEqual({ totalHits: 1, timeToExpire: 1, isBlocked: false, timeToBlockExpire: 0 });
    const { timeToExpire, ...refused } = await increment();
    expect(refused).toEqual({ totalHits: 2, isBlocked: true, timeToBlockExpire: timeToExpire });
    await sleep(timeToExpire * 1_000 + 5);
    expect(await increment()).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('takes back a request that is returned', async () => {
    const sut = new RateLimiter(Date);
    await sut.hit('a', [MINUTE]);
    sut.giveBack('a', MINUTE);
    expect(await sut.hit('a', [MINUTE])).toMatchObject({ remaining: 4 });
  });
});

describeWithRedis('RateLimiter with Redis', () => {
  let redis: TestRedis;
  let other: TestRedis | undefined;
  const made: RateLimiter[] = [];

  async function makeSut(url = redis.url, namespace = 'this'): Promise<RateLimiter> {
    const sut = new RateLimiter(Date, new SharedLimits(url, namespace));
    made.push(sut);
    await sut.onModuleInit();
    return sut;
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(5);
  }

  beforeAll(async () => {
    redis = (await startRedis())!;
  });

  afterEach(async () => {
    for (const sut of made.splice(0)) sut.onApplicationShutdown();
    await other?.stop();
    other = undefined;
  });

  afterAll(() => redis.stop());

  it('counts for all instances together, in both windows at once', async () => {
    const instances = [await makeSut(), await makeSut()];
    const decisions: LimitDecision[] = [];
    for (let count = 0; count < 12; count++) {
      decisions.push(await instances[count % 2]!.hit('shared', [MINUTE, HOUR]));
    }
    expect(instances.every((sut) => sut.healthy)).toBe(true);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(decisions[0]).toMatchObject({ limit: 5, remaining: 4, windowSeconds: 60 });
    expect(decisions[5]).toMatchObject({ allowed: false, limit: 5, remaining: 0, windowSeconds: 60 });
    expect(decisions[5]!.retryAfterSeconds).toBeLessThanOrEqual(60);
    instances[0]!.giveBack('shared', MINUTE);
    expect(await instances[1]!.increment('shared', 60_000, 5)).toMatchObject({ totalHits: 12 });
  });

  it('counts for each deployment alone', async () => {
    const deployments = [await makeSut(), await makeSut(redis.url, 'another')];
    for (const sut of deployments)
      expect(await sut.hit('shared by name', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('allows again after Retry-After', async () => {
    const sut = await makeSut();
    const windows = [{ limit: 1, seconds: 1 }];
    let decision = await sut.hit('again', windows);
    // On a busy machine the window may be over before the second request.
    while (decision.allowed) decision = await sut.hit('again', windows);
    // Redis counts whole milliseconds, and a timer may fire one early.
    await sleep(decision.retryAfterSeconds! * 1_000 + 5);
    expect(await sut.hit('again', windows)).toMatchObject({ allowed: true });
  });

  it('counts all windows of a request in one round trip', async () => {
    const sut = await makeSut();
    await sut.hit('one trip', [MINUTE, HOUR]);
    const writes = jest.spyOn(Socket.prototype, 'write');
    await sut.hit('one trip', [MINUTE, HOUR]);
    const requests = writes.mock.calls.filter(([data]) => String(data).includes('one trip'));
    writes.mockRestore();
    expect(requests).toHaveLength(1);
  });

  it('allows exactly the limit when all requests come at once', async () => {
    const sut = await makeSut();
    const decisions = await Promise.all(Array.from({ length: 200 }, async () => sut.hit('burst', [MINUTE, HOUR])));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  it.each([60, 3_600])('counts no request for longer than its window: %d s', async (seconds) => {
    const sut = await makeSut();
    const windows = [{ limit: 1, seconds }];
    for (const decision of [await sut.hit('longest', windows), await sut.hit('longest', windows)]) {
      // Redis' clock decides; this machine's clock may be read some milliseconds before it.
      expect(decision.resetAt * 1_000).toBeLessThanOrEqual(Date.now() + seconds * 1_000 + 5);
      expect(decision.retryAfterSeconds ?? 0).toBeLessThanOrEqual(seconds);
    }
  });

  it('gives turns to all instances together, in every pace or in none', async () => {
    const instances = [await makeSut(), await makeSut()];
    const paces = [
      { key: 'person', intervalMs: 60_000, burst: 20 },
      { key: 'number', intervalMs: 500, burst: 1 },
    ];
    const startedAt = performance.now();
    const turns: number[] = [];
    for (let count = 0; count < 5; count += 1) turns.push(await instances[count % 2]!.turnIn(paces, 1_700));
    const ms = performance.now() - startedAt;
    for (const [index, turn] of turns.slice(0, 4).entries()) {
      expect(turn).toBeLessThanOrEqual(index * 500);
      expect(turn).toBeGreaterThanOrEqual(index * 500 - ms);
    }
    // The fifth has no turn; the next is told a later time than the fifth.
    expect(turns[4]).toBeGreaterThan(1_700);
    expect(await instances[0]!.turnIn(paces, 1_700)).toBeGreaterThan(turns[4]!);
    // Only four were taken of the person's burst.
    const others = await Promise.all(Array.from({ length: 17 }, async () => instances[1]!.turnIn([paces[0]!], 0)));
    expect(others.filter((turn) => turn === 0)).toHaveLength(16);
  });

  it('stores only keys that expire', async () => {
    const sut = await makeSut();
    await sut.hit('expiring', [MINUTE, HOUR]);
    const client = new Redis(redis.url);
    const lifetimes = await Promise.all((await client.keys('*expiring*')).map((key) => client.pttl(key)));
    client.disconnect();
    expect(lifetimes).toHaveLength(2);
    for (const lifetime of lifetimes) expect(lifetime).toBeGreaterThan(50_000);
    expect(Math.max(...lifetimes)).toBeLessThanOrEqual(3_600_000);
  });

  it('recovers after the Redis scripts were flushed', async () => {
    const sut = await makeSut();
    await sut.hit('flushed', [MINUTE]);
    const client = new Redis(redis.url);
    await client.script('FLUSH');
    client.disconnect();
    expect(await sut.hit('flushed', [MINUTE])).toMatchObject({ allowed: true, remaining: 3 });
    expect(sut.healthy).toBe(true);
  });

  it('counts in the process while Redis hangs, and returns to shared limits by itself', async () => {
    const sut = await makeSut();
    for (let count = 0; count < 4; count++) await sut.hit('hanging', [MINUTE]);
    redis.pause();
    try {
      const started = performance.now();
      expect(await sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: true, remaining: 0 });
      expect(performance.now() - started).toBeLessThan(4_000);
      const asked = performance.now();
      expect(await sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: false });
      // From here on no request waits for Redis.
      expect(performance.now() - asked).toBeLessThan(250);
    } finally {
      redis.resume();
    }
    await until(() => sut.healthy);
    // Redis has counted the request that it did not answer in time.
    expect(await sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: false });
  });

  it("uses its own count in every outage, and Redis's count afterwards", async () => {
    other = (await startRedis())!;
    const sut = await makeSut(other.url);
    await sut.hit('gone', [MINUTE]);
    await other.stop();
    for (const remaining of [3, 2]) expect(await sut.hit('gone', [MINUTE])).toMatchObject({ allowed: true, remaining });
    other = await startRedis(other.port);
    await until(() => sut.healthy);
    // Redis came back empty.
    expect(await sut.hit('gone', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });
    await other!.stop();
    expect(await sut.hit('gone', [MINUTE])).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('starts without Redis', async () => {
    other = (await startRedis())!;
    await other.stop();
    const sut = await makeSut(other.url);
    for (let count = 0; count < 5; count++) await sut.hit('absent', [MINUTE]);
    expect(await sut.hit('absent', [MINUTE])).toMatchObject({ allowed: false, limit: 5 });
    other = await startRedis(other.port);
    await until(() => sut.healthy);
    expect(await sut.hit('absent', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });
  });

  describe('on a Redis Cluster', () => {
    let cluster: RedisCluster;

    beforeAll(async () => {
      cluster = await startRedisCluster();
    });

    afterAll(() => cluster.stop());

    it('counts for all instances together, whichever node they connect to', async () => {
      const instances = await Promise.all(cluster.nodes.map(({ url }) => makeSut(url)));
      await until(() => instances.every((sut) => sut.healthy));
      const allowed: boolean[] = [];
      for (const sut of [...instances, ...instances]) allowed.push((await sut.hit('a key', [MINUTE, HOUR])).allowed);
      expect(allowed).toEqual([true, true, true, true, true, false]);
      expect(instances.every((sut) => sut.healthy)).toBe(true);
    });

    it('follows the limits to another node, and drops a node that died', async () => {
      const warm = await makeSut(cluster.nodes[0]!.url);
      await until(() => warm.healthy);
      const sizes = await Promise.all(cluster.nodes.map(({ client }) => client.dbsize()));
      const owner = cluster.nodes[sizes.findIndex((size) => size > 0)]!;
      const [home, spare] = cluster.nodes.filter((node) => node !== owner);
      const slot = await owner.client.cluster('KEYSLOT', (await owner.client.randomkey())!);
      const move = async (from: ClusterNode, to: ClusterNode) => {
        const id = await to.client.cluster('MYID');
        await from.client.flushall();
        for (const { client } of [to, ...cluster.nodes]) await client.cluster('SETSLOT', slot, 'NODE', id);
      };
      const sut = await makeSut(home!.url);
      await until(() => sut.healthy);
      await move(owner, spare!);
      expect(await sut.hit('moving', [MINUTE])).toMatchObject({ allowed: true });
      await until(() => sut.healthy);
      expect(await sut.hit('moving', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });

      await move(spare!, home!);
      await spare!.stop();
      await until(() => !sut.healthy);
      await until(() => sut.healthy);
      expect(await sut.hit('moving', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });
    });
  });
});
