import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisOnPath, startRedis, type TestRedis } from '../../../test/support/redis';
import { startRedisCluster, type ClusterNode, type RedisCluster } from '../../../test/support/redis-cluster';
import { LocalLimiter } from './local-limiter';
import type { JointDecision, LimitDecision } from './sliding-window';
import { RedisLimiter } from './redis-limiter';

const MINUTE = { limit: 5, seconds: 60 };
const HOUR = { limit: 8, seconds: 3_600 };

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis(RedisLimiter.name, () => {
  let redis: TestRedis;
  let other: TestRedis | undefined;
  const made: RedisLimiter[] = [];

  async function makeSut(url = redis.url, namespace = 'this'): Promise<RedisLimiter> {
    const sut = new RedisLimiter(url, namespace, new LocalLimiter(Date));
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
    expect(decisions[11]).toMatchObject({ allowed: false, limit: 5, remaining: 0, windowSeconds: 60 });
    expect(decisions[11]!.retryAfterSeconds).toBeLessThanOrEqual(60);
    // The refusals did not count in the hour.
    expect(await instances[0]!.hit('shared', [HOUR])).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('counts for each deployment alone', async () => {
    const deployments = [await makeSut(), await makeSut(redis.url, 'another')];
    for (const sut of deployments)
      expect(await sut.hit('shared by name', [MINUTE])).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('allows exactly the limit when all requests come at once', async () => {
    const sut = await makeSut();
    const decisions = await Promise.all(Array.from({ length: 200 }, async () => sut.hit('burst', [MINUTE, HOUR])));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  it('allows again after Retry-After, and never more than the limit in a window, on two instances together', async () => {
    const instances = [await makeSut(), await makeSut()];
    const window = { limit: 3, seconds: 1 };
    const accepted: number[] = [];
    let hits = 0;
    const hit = async () => instances[hits++ % 2]!.hit('sliding', [window]);
    for (let round = 0; round < 2; round++) {
      let decision = await hit();
      while (decision.allowed) {
        accepted.push(Date.now());
        decision = await hit();
      }
      await sleep(decision.retryAfterSeconds! * 1_000);
    }
    // Three, then at least one more after the wait.
    expect(accepted.length).toBeGreaterThanOrEqual(4);
    const fourthLater = accepted.slice(3).map((time, index) => time - accepted[index]!);
    // Redis' clock decides; this machine's clock may be read some milliseconds before or after it.
    expect(Math.min(...fourthLater)).toBeGreaterThan(950);
  });

  it('decides like the local limiter, also after a limit was lowered', async () => {
    const sut = await makeSut();
    const local = new LocalLimiter(Date);
    for (const limit of [9, 9, 9, 9, 9, 2, 2, 5, 6, 6, 6]) {
      const windows = [{ limit, seconds: 3_600 }];
      const { allowed, remaining, windowSeconds } = await sut.hit('alike', windows);
      expect(local.hit('alike', windows)).toMatchObject({ allowed, remaining, windowSeconds });
    }
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

  it('tells after a lowered limit when enough buckets have left', async () => {
    const sut = await makeSut();
    const window = { limit: 10, seconds: 6 };
    for (let count = 0; count < 6; count++) {
      await sut.hit('lowered', [window]);
      await sleep(101);
    }
    const few = await sut.hit('lowered', [{ limit: 2, seconds: 6 }]);
    const askedUntil = Date.now();
    const most = await sut.hit('lowered', [{ limit: 6, seconds: 6 }]);
    expect(few.allowed || most.allowed).toBe(false);
    expect(few.resetAt).toBeGreaterThanOrEqual(most.resetAt);
    expect(few.resetAt * 1_000).toBeLessThanOrEqual(askedUntil + 8_000);
  });

  it('leaves later companions counted when one is given back after its window', async () => {
    const sut = await makeSut();
    const message = { key: 'late', windows: [{ limit: 3, seconds: 1 }] };
    const late = await sut.hitBoth('joint with late', [MINUTE], message);
    await sleep(1_010);
    // In one round trip, so that the speed of the machine does not matter.
    const next = sut.hitBoth('joint with late', [MINUTE], message);
    late.companion!.giveBack();
    const last = sut.hit(message.key, message.windows);
    expect((await next).companion!.decision).toMatchObject({ remaining: 2 });
    expect(await last).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('counts a companion with its request in one step, and no longer once it is given back', async () => {
    const sut = await makeSut();
    const message = { key: 'companion', windows: [{ limit: 1, seconds: 60 }] };
    const windows = [{ limit: 3, seconds: 60 }];
    const client = new Redis(redis.url);
    const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))![1]);
    await sut.hit('warm', windows);
    const before = await calls();
    const first = await sut.hitBoth('joint', windows, message);
    expect(await calls()).toBe(before + 1);
    expect(first).toMatchObject({ decision: { allowed: true }, companion: { decision: { allowed: true } } });
    expect(await sut.hitBoth('joint', windows, message)).toMatchObject({
      decision: { allowed: true, remaining: 1 },
      companion: { decision: { allowed: false, limit: 1 } },
    });
    first.companion!.giveBack();
    expect((await sut.hitBoth('joint', windows, message)).companion!.decision.allowed).toBe(true);
    const refused = await sut.hitBoth('joint', windows, { ...message, key: 'companion of a refused one' });
    client.disconnect();
    expect(refused.decision.allowed).toBe(false);
    expect(refused.companion).toBeUndefined();
    expect((await sut.hit('companion of a refused one', message.windows)).allowed).toBe(true);
  });

  it('gives turns to all instances together, in all paces or in none', async () => {
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
    for (const lifetime of lifetimes) expect(lifetime).toBeGreaterThan(60_000);
    expect(Math.max(...lifetimes)).toBeLessThan(3_610_000);
  });

  it('recovers after the scripts were flushed', async () => {
    const sut = await makeSut();
    await sut.hit('flushed', [MINUTE]);
    const client = new Redis(redis.url);
    await client.script('FLUSH');
    client.disconnect();
    expect(await sut.hit('flushed', [MINUTE])).toMatchObject({ allowed: true, remaining: 3 });
    expect(sut.healthy).toBe(true);
  });

  it('decides in the process while Redis hangs, and shares limits again by itself', async () => {
    const sut = await makeSut();
    for (let count = 0; count < 4; count++) await sut.hit('hanging', [MINUTE]);
    redis.pause();
    try {
      const started = performance.now();
      expect(await sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: true, remaining: 0 });
      expect(performance.now() - started).toBeLessThan(4_000);
      // From here on no request waits: the answer is synchronous.
      expect(sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: false });
    } finally {
      redis.resume();
    }
    await until(() => sut.healthy);
    // Redis has counted the request that it did not answer in time.
    expect(await sut.hit('hanging', [MINUTE])).toMatchObject({ allowed: false });
  });

  it('decides by its own count in every outage, and by that of Redis after it', async () => {
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
    expect(sut.hit('absent', [MINUTE])).toMatchObject({ allowed: false, limit: 5 });
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

    it('counts requests and companions together, whichever node it is given', async () => {
      const instances = await Promise.all(cluster.nodes.map(({ url }) => makeSut(url)));
      await until(() => instances.every((sut) => sut.healthy));
      const message = { key: 'a message', windows: [{ limit: 4, seconds: 60 }] };
      const counted: JointDecision[] = [];
      for (const sut of [...instances, ...instances]) counted.push(await sut.hitBoth('a key', [MINUTE, HOUR], message));
      expect(counted.map(({ decision }) => decision.allowed)).toEqual([true, true, true, true, true, false]);
      const companions = counted.map(({ companion }) => companion?.decision.allowed);
      expect(companions).toEqual([true, true, true, true, false, undefined]);
      counted[0]!.companion!.giveBack();
      expect(await instances[1]!.hit(message.key, message.windows)).toMatchObject({ allowed: true, remaining: 0 });
      expect(instances.every((sut) => sut.healthy)).toBe(true);
    });

    it('follows the limits to another node, and leaves a node that died', async () => {
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
