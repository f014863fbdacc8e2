import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../../../../test/support/eventually';
import { sharedPostgres } from '../../../../test/support/postgres';
import { redisOnPath, startRedis, type TestRedis } from '../../../../test/support/redis';
import { SignalInstance, stopSignalInstances } from '../../../../test/support/signal-instance';
import type { SignalBackendOptions } from './signal-backend';
import { SignalQueue } from './signal-queue';

const NO_DATABASE = { databaseUrl: 'postgres://unknown@127.0.0.1:9/nothing' };

const start = (options: SignalBackendOptions) => SignalInstance.start(options);
const startTwo = async (options: SignalBackendOptions) => [await start(options), await start(options)] as const;

afterEach(stopSignalInstances);

describe(SignalQueue.name, () => {
  it('has its own process look at once, whether it is available or not', async () => {
    const instance = await start(NO_DATABASE);
    instance.queue.signal('dispatch');
    expect(instance.polls).toBe(1);
  });

  it('costs less than a microsecond when it is asked for already', async () => {
    const { queue } = await start(NO_DATABASE);
    // Of this thread: what compiles it, and what else the machine does, is not the queue's.
    const before = process.threadCpuUsage();
    for (let count = 0; count < 100_000; count++) queue.signal('dispatch');
    expect(process.threadCpuUsage(before).user).toBeLessThan(100_000);
  });

  it('warns once while it is unavailable', async () => {
    const warnings: string[] = [];
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((text: string) => void warnings.push(text));
    const instance = await start(NO_DATABASE);
    instance.queue.signal('dispatch');
    await eventually('it has failed', () => expect(warnings.length).toBeGreaterThan(0));
    await sleep(1_500);
    expect(warnings).toEqual([expect.stringMatching(/^The queue work is unavailable \(.*ECONNREFUSED/)]);
    warn.mockRestore();
  });

  it('stops without ever having had a connection', async () => {
    const instance = await start(NO_DATABASE);
    instance.queue.signal('dispatch');
    const started = performance.now();
    await instance.stop();
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('SignalQueue on PostgreSQL', () => {
  let options: SignalBackendOptions;
  let client: Client;

  beforeAll(async () => {
    options = { databaseUrl: await (await sharedPostgres()).createEmptyDatabase() };
    client = new Client({ connectionString: options.databaseUrl });
    await client.connect();
  }, 60_000);

  afterAll(() => client.end());

  it('wakes another instance up', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    await two.signalUntil(() => one.polls > 0);
  });

  it('tells others of a thousand signals by one job, and of signals that go on by one each 200 ms', async () => {
    const { queue } = await start(options);
    await queue.waitUntilReady();
    let jobs = 0;
    queue.on('waiting', () => jobs++);
    for (let count = 0; count < 1_000; count++) queue.signal('dispatch');
    await eventually('it is told', () => expect(jobs).toBe(1));
    const until = performance.now() + 1_000;
    while (performance.now() < until) {
      queue.signal('dispatch');
      await sleep(5);
    }
    expect(jobs).toBeGreaterThan(2);
    expect(jobs).toBeLessThanOrEqual(7);
  });

  it('keeps to a schema of its own and leaves no jobs behind', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    const tables = await client.query<{ schema: string }>(
      `SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.rows).toEqual([{ schema: 'bullmq' }]);
    const jobs = (): Promise<number> => client.query('SELECT 1 FROM bullmq.job').then(({ rowCount }) => rowCount ?? 0);
    while ((await jobs()) > 0) await sleep(10);
    const events = await client.query('SELECT 1 FROM bullmq.event');
    expect(events.rowCount).toBeLessThan(100);
    // A job that an instance of an earlier test took before it stopped is found after 30 s.
  }, 90_000);

  it('does not poll while no job waits', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    const lastQueries = async (): Promise<unknown[]> => {
      const { rows } = await client.query(
        `SELECT pid, query_start FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY 1`,
      );
      return rows;
    };
    let before: unknown[] = [];
    const settled = async () => {
      const known = before;
      before = await lastQueries();
      expect(before).toEqual(known);
    };
    await eventually('what the signals caused is over', settled, { everyMs: 1_000 });
    expect(before.length).toBeGreaterThanOrEqual(2);
    await sleep(3_000);
    expect(await lastQueries()).toEqual(before);
  });

  it('survives the loss of its connections', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = $1',
      ['client backend'],
    );
    const before = two.polls;
    await one.signalUntil(() => two.polls > before);
  });
});

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('SignalQueue on Redis', () => {
  let redis: TestRedis;
  let options: SignalBackendOptions;

  beforeAll(async () => {
    redis = (await startRedis())!;
    options = { ...NO_DATABASE, redisUrl: redis.url };
  });

  afterAll(() => redis.stop());

  it('wakes another instance up', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    await two.signalUntil(() => one.polls > 0);
  });

  it('leaves no jobs behind', async () => {
    const [one, two] = await startTwo(options);
    await one.signalUntil(() => two.polls > 0);
    const client = new Redis(redis.url);
    const jobs = (): Promise<string[]> => client.keys('bull:work:dispatch*');
    while ((await jobs()).length > 0) await sleep(10);
    expect(await client.zcard('bull:work:completed')).toBe(0);
    expect(await client.zcard('bull:work:failed')).toBe(0);
    client.disconnect();
  });

  it('has its own process look while Redis is unavailable, and reaches the others when it has recovered', async () => {
    const server = (await startRedis())!;
    const away = { ...options, redisUrl: server.url };
    const [one, two] = await startTwo(away);
    await one.signalUntil(() => two.polls > 0);
    await server.stop();
    const before = one.polls;
    await one.signalUntil(() => one.polls > before + 2);
    const reached = two.polls;
    const again = (await startRedis(server.port))!;
    await one.signalUntil(() => two.polls > reached);
    await Promise.all([one.stop(), two.stop()]);
    await again.stop();
  });

  it('starts and stops without Redis', async () => {
    const server = (await startRedis())!;
    await server.stop();
    const instance = await start({ ...options, redisUrl: server.url });
    await instance.signalUntil(() => instance.polls > 0);
    await instance.stop();
  });

  it('reaches others when Redis comes up after the start', async () => {
    const server = (await startRedis())!;
    await server.stop();
    const [one, two] = await startTwo({ ...options, redisUrl: server.url });
    await one.signalUntil(() => one.polls > 2);
    const again = (await startRedis(server.port))!;
    await one.signalUntil(() => two.polls > 0);
    await Promise.all([one.stop(), two.stop()]);
    await again.stop();
  });

  it('stops in time while Redis hangs', async () => {
    const server = (await startRedis())!;
    const hanging = { ...options, redisUrl: server.url };
    const [one, two] = await startTwo(hanging);
    await one.signalUntil(() => two.polls > 0);
    server.pause();
    const started = performance.now();
    await Promise.all([one.stop(), two.stop()]);
    expect(performance.now() - started).toBeLessThan(4_000);
    server.resume();
    await server.stop();
  });
});
