import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Components } from '../../../src/status/component-health.service';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { redisOnPath, startRedis, type TestRedis } from '../../support/redis';

/** A request waits 250 ms for Redis at most; the rest is what a busy machine needs. */
const LONGEST_ANSWER_MS = 4_000;
const CLIENTS = 4;
/** Between two requests of a client: all of it runs in this process. */
const PAUSE_MS = 10;

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('Limits while Redis fails', () => {
  let redis: TestRedis;
  let gateway: TestGateway;

  beforeAll(async () => {
    redis = (await startRedis())!;
    gateway = await startTestGateway({ env: { REDIS_URL: redis.url } });
  });

  afterAll(async () => {
    await gateway.stop();
    await redis.stop();
  });

  const command = async (...words: [string, ...string[]]) => {
    const client = new Redis(redis.url);
    await client.call(...words);
    client.disconnect();
  };
  const cacheIs = (word: string) =>
    eventually(`the cache is ${word}`, async () => {
      const { body } = await gateway.api<{ components: Components }>('GET', '/status');
      expect(body.data.components.cache).toBe(word);
    });
  const read = (key?: string) => gateway.api('GET', '/integrations', undefined, { key });
  const limitedKey = () => gateway.createKey({ requestsPerMinute: 5, requestsPerHour: 1_000 });
  const statuses = async (key: string, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => read(key)));
    return answers.map(({ status }) => status).sort((a, b) => a - b);
  };

  /** Clients who ask all the time; resolves with how long each answer took once `meanwhile` has. */
  async function underTraffic(meanwhile: () => Promise<void>): Promise<number> {
    const over = new AbortController();
    const took: number[] = [];
    const client = async () => {
      while (!over.signal.aborted) {
        const startedAt = performance.now();
        const { status } = await read();
        took.push(performance.now() - startedAt);
        expect(status).toBe(200);
        await sleep(PAUSE_MS);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    try {
      await Promise.race([meanwhile(), clients]);
    } finally {
      over.abort();
    }
    await clients;
    return Math.max(...took);
  }

  it.each([
    {
      fault: 'is frozen',
      begin: () => Promise.resolve(redis.pause()),
      end: () => Promise.resolve(redis.resume()),
    },
    {
      fault: 'is out of memory',
      begin: () => command('CONFIG', 'SET', 'maxmemory', '1'),
      end: () => command('CONFIG', 'SET', 'maxmemory', '0'),
    },
    {
      fault: 'is killed and comes back empty',
      begin: () => redis.stop(),
      end: async () => void (redis = (await startRedis(redis.port))!),
    },
  ])(
    'are counted in the process while it $fault, without an error, and are shared again afterwards',
    async ({ fault, begin, end }) => {
      await cacheIs('healthy');
      const longest = await underTraffic(async () => {
        const key = await limitedKey();
        expect(await statuses(key, 2)).toEqual([200, 200]);
        await begin();
        // What this instance allowed before is counted on.
        expect(await statuses(key, 10)).toEqual([200, 200, 200, ...Array.from({ length: 7 }, () => 429)]);
        await cacheIs('degraded');
        await end();
        await cacheIs('healthy');
        const afterwards = await statuses(await limitedKey(), 7);
        expect(afterwards).toEqual([200, 200, 200, 200, 200, 429, 429]);
      });
      process.stdout.write(`  while Redis ${fault}: the longest answer took ${Math.round(longest)} ms\n`);
      expect(longest).toBeLessThan(LONGEST_ANSWER_MS);
    },
  );

  it('count a message only if it is sent', async () => {
    await cacheIs('healthy');
    const key = await gateway.createKey({ environment: 'test' });
    const limitMessages = (messages_per_minute: number) =>
      gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute } }, { key });
    const send = async (message: unknown) =>
      (await gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: '7', message }, { key })).status;
    await limitMessages(2);
    expect(await send('one')).toBe(200);
    expect(await send('two')).toBe(200);
    expect(await send('three')).toBe(429);
    await limitMessages(3);
    for (const bad of ['', 7, 'x'.repeat(20_000)]) expect(await send(bad)).toBe(400);
    await eventually('what was not sent counts no longer', async () => expect(await send('three')).toBe(200));
    expect(await send('four')).toBe(429);
  });

  it('restart when it is emptied, without an error', async () => {
    await underTraffic(async () => {
      const key = await limitedKey();
      expect(await statuses(key, 2)).toEqual([200, 200]);
      await command('FLUSHALL');
      expect(await statuses(key, 5)).toEqual([200, 200, 200, expect.any(Number), expect.any(Number)]);
      expect(await statuses(await limitedKey(), 6)).toEqual([200, 200, 200, 200, 200, 429]);
    });
    await cacheIs('healthy');
  });
});
