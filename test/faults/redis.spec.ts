import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { redisOnPath, startRedis, type TestRedis } from '../support/redis';
import { Deployment } from './deployment';
import { Traffic, type Answer } from './traffic';

/** A request waits 250 ms for Redis; the rest is what a busy machine needs. Half of all: every one of them asks Redis. */
const MEDIAN_MS = 2_000;

const TIMEOUTS = { timeoutMs: 30_000 };

const describeWithRedis = redisOnPath() ? describe : describe.skip;

/** Two instances live through one fault after the other: what one left behind would show in the next. */
describeWithRedis('webhooks while Redis fails', () => {
  let redis: TestRedis;
  let deployment: Deployment;
  let instances: GatewayProcess[];

  beforeAll(async () => {
    redis = (await startRedis())!;
    deployment = await Deployment.create({ env: { REDIS_URL: redis.url } });
    instances = [await deployment.startInstance(), await deployment.startInstance()];
    await deployment.register(instances[0]!);
  }, 90_000);

  afterAll(async () => {
    await deployment.stop();
    await redis.stop();
  });

  const command = async <T>(work: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(redis.url);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };

  const cacheIs = (word: string) =>
    eventually(
      `both instances see the cache ${word}`,
      async () => {
        for (const instance of instances) {
          const { body } = await instance.api<{ components: { cache: string } }>('GET', '/status');
          expect(body.data.components.cache).toBe(word);
        }
      },
      TIMEOUTS,
    );

  /** What a process that is gone left in the queues is taken, and both instances wait for more. */
  const workersRecover = () => Promise.all(['webhook-dispatches-test', 'replies-test'].map(workersOfQueueRecover));
  const workersOfQueueRecover = async (name: string) => {
    const queue = new Queue(name, { connection: { url: redis.url } });
    try {
      await queue.add('of a process that is gone', { key: randomUUID() }, { removeOnComplete: true });
      await eventually(
        `the queue ${name} is worked on`,
        async () => {
          expect(await queue.getJobCountByTypes('wait', 'active', 'delayed', 'prioritized')).toBe(0);
          expect(await queue.getWorkersCount()).toBe(2);
        },
        TIMEOUTS,
      );
    } finally {
      await queue.close();
    }
  };

  const expectServed = (answers: readonly Answer[]) => {
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(MEDIAN_MS);
  };

  it('webhooks are delivered and limits are counted without Redis; both use it again when it is back and empty', async () => {
    const traffic = new Traffic(deployment, instances);
    await deployment.receiver.received(20);
    await redis.stop();
    await cacheIs('degraded');
    const limited = await instances[0]!.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'limited',
      scopes: ['read:messages'],
      rate_limit: { requests_per_minute: 3, requests_per_hour: 100 },
    });
    const { key } = limited.body.data;
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++)
      statuses.push((await instances[0]!.api('GET', '/messages', undefined, { key })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    for (const instance of instances) expect((await instance.api('GET', '/health/ready')).status).toBe(200);
    await sleep(1_000);
    expectServed(await traffic.stop());
    const away = (await deployment.allArrive()).print('Redis killed, and away');
    expect(away.most).toBe(1);

    const after = new Traffic(deployment, instances);
    redis = (await startRedis(redis.port))!;
    await cacheIs('healthy');
    await workersRecover();
    expectServed(await after.stop());
    expect((await deployment.allArrive()).print('Redis restarted, empty').most).toBe(1);
  }, 90_000);

  it('webhooks keep their pending retries when all data of Redis was deleted', async () => {
    deployment.refuse(60);
    const traffic = new Traffic(deployment, instances);
    await eventually('retries are pending', async () => {
      const [row] = await deployment.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM webhook_dispatches WHERE retries > 0 AND next_at > now()`,
      );
      expect(row!.count).toBeGreaterThan(20);
    });
    await command((client) => client.flushall());
    expectServed(await traffic.stop());
    await workersRecover();
    expect((await deployment.allArrive()).print('Redis flushed, with retries pending').most).toBe(1);
  }, 90_000);

  it('webhooks are delivered while Redis hangs, and after', async () => {
    const before = deployment.receiver.posts.length;
    const traffic = new Traffic(deployment, instances);
    await deployment.receiver.received(before + 20);
    redis.pause();
    await sleep(6_000);
    const meanwhile = deployment.receiver.posts.length - before;
    redis.resume();
    await cacheIs('healthy');
    await workersRecover();
    expectServed(await traffic.stop());
    expect(meanwhile).toBeGreaterThan(100);
    expect((await deployment.allArrive()).print('Redis frozen for 6 s').most).toBe(1);
  }, 90_000);

  it('webhooks are delivered while Redis is out of memory, and after', async () => {
    const before = deployment.receiver.posts.length;
    const traffic = new Traffic(deployment, instances);
    await command(async (client) => {
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      await client.config('SET', 'maxmemory', '1');
    });
    await cacheIs('degraded');
    await deployment.receiver.received(before + 100);
    await command((client) => client.config('SET', 'maxmemory', '0'));
    await cacheIs('healthy');
    await workersRecover();
    expectServed(await traffic.stop());
    expect((await deployment.allArrive()).print('Redis out of memory').most).toBe(1);
  }, 90_000);
});
