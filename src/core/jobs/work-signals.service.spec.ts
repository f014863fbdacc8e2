import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../../../test/support/eventually';
import { sharedPostgres, stopSharedPostgres } from '../../../test/support/postgres';
import { redisOnPath, startRedis, type TestRedis } from '../../../test/support/redis';
import type { JobsModuleOptions } from './jobs.module-definition';
import { JobsModule } from './jobs.module';
import { WorkSignals } from './work-signals.service';

const NO_DATABASE = 'postgres://nobody@127.0.0.1:9/nothing';

const running: WorkSignals[] = [];

interface Instance {
  queue: WorkSignals;
  runs: number;
}

/** One instance of a deployment, which counts its runs. */
function startInstance(options: JobsModuleOptions, handler?: () => Promise<void>): Instance {
  const queue = new WorkSignals(options);
  const instance = { queue, runs: 0 };
  queue.register('dispatch', async () => {
    instance.runs++;
    await handler?.();
  });
  queue.onApplicationBootstrap();
  running.push(queue);
  return instance;
}

/** Wakes until the fact is there: a queue that just opened may have missed the first one. */
async function wakeUntil({ queue }: Instance, fact: () => boolean): Promise<void> {
  while (!fact()) {
    queue.signal('dispatch');
    await sleep(10);
  }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((queue) => queue.stop()));
});

describe(WorkSignals.name, () => {
  it('looks at once in this process, whether there is a queue or not', async () => {
    const looked = Promise.withResolvers<void>();
    const { queue } = startInstance({ databaseUrl: NO_DATABASE }, () => Promise.resolve(looked.resolve()));
    queue.signal('dispatch');
    await looked.promise;
  });

  it('takes a thousand wake-ups for one', async () => {
    const looked = Promise.withResolvers<void>();
    const instance = startInstance({ databaseUrl: NO_DATABASE }, () => Promise.resolve(looked.resolve()));
    for (let count = 0; count < 1_000; count++) instance.queue.signal('dispatch');
    await looked.promise;
    await instance.queue.stop();
    expect(instance.runs).toBe(1);
  });

  it('costs less than a microsecond when it is asked for already', () => {
    const { queue } = startInstance({ databaseUrl: NO_DATABASE });
    const before = process.cpuUsage();
    for (let count = 0; count < 100_000; count++) queue.signal('dispatch');
    // Of the processor: what else the machine does is not the queue's.
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
  });

  it('keeps for the start what is asked for while modules initialise', async () => {
    const queue = new WorkSignals({ databaseUrl: NO_DATABASE });
    running.push(queue);
    const looked = Promise.withResolvers<void>();
    queue.register('dispatch', () => Promise.resolve(looked.resolve()));
    queue.signal('dispatch');
    queue.onApplicationBootstrap();
    await looked.promise;
  });

  it('goes on after a handler failed', async () => {
    const instance = startInstance({ databaseUrl: NO_DATABASE }, () => Promise.reject(new Error('database away')));
    await wakeUntil(instance, () => instance.runs >= 3);
  });

  it('never throws for a kind that nobody does', () => {
    const { queue } = startInstance({ databaseUrl: NO_DATABASE });
    expect(() => queue.signal('unheard-of')).not.toThrow();
  });

  it('refuses a kind registered twice, or with a name that a job id cannot be', () => {
    const { queue } = startInstance({ databaseUrl: NO_DATABASE });
    expect(() => queue.register('dispatch', () => Promise.resolve())).toThrow(RangeError);
    expect(() => queue.register('a:b', () => Promise.resolve())).toThrow(RangeError);
    expect(() => queue.register('42', () => Promise.resolve())).toThrow(RangeError);
  });

  it('waits for the running handler when the application stops, and starts no other', async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const module = await Test.createTestingModule({
      imports: [JobsModule.forRootAsync({ useFactory: () => ({ databaseUrl: NO_DATABASE }) })],
    }).compile();
    let runs = 0;
    module.get(WorkSignals).register('dispatch', () => {
      runs++;
      begun.resolve();
      return gate.promise;
    });
    await module.init();
    module.get(WorkSignals).signal('dispatch');
    await begun.promise;
    let closed = false;
    const closing = module.close().then(() => (closed = true));
    module.get(WorkSignals).signal('dispatch');
    await sleep(20);
    expect(closed).toBe(false);
    gate.resolve();
    await closing;
    expect(runs).toBe(1);
  });
});

describe('WakeQueue on PostgreSQL', () => {
  let options: JobsModuleOptions;
  let client: Client;

  beforeAll(async () => {
    options = { databaseUrl: await (await sharedPostgres()).createEmptyDatabase() };
    client = new Client({ connectionString: options.databaseUrl });
    await client.connect();
  }, 60_000);

  afterAll(async () => {
    await client.end();
    await stopSharedPostgres();
  });

  it('wakes another instance up', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
    await wakeUntil(two, () => one.runs > 0);
  });

  it('keeps to a schema of its own and leaves no jobs behind', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
    const tables = await client.query<{ schema: string }>(
      `SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.rows).toEqual([{ schema: 'bullmq' }]);
    const jobs = (): Promise<number> => client.query('SELECT 1 FROM bullmq.job').then(({ rowCount }) => rowCount ?? 0);
    while ((await jobs()) > 0) await sleep(10);
    const events = await client.query('SELECT 1 FROM bullmq.event');
    expect(events.rowCount).toBeLessThan(100);
  });

  it('does not poll while nobody asks', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
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
    await eventually('what the wake-ups caused is over', settled, { everyMs: 1_000 });
    expect(before.length).toBeGreaterThanOrEqual(2);
    await sleep(3_000);
    expect(await lastQueries()).toEqual(before);
  });

  it('survives the loss of its connections', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = $1',
      ['client backend'],
    );
    const before = two.runs;
    await wakeUntil(one, () => two.runs > before);
  });
});

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('WakeQueue on Redis', () => {
  let redis: TestRedis;
  let options: JobsModuleOptions;

  beforeAll(async () => {
    redis = (await startRedis())!;
    options = { databaseUrl: NO_DATABASE, redisUrl: redis.url };
  });

  afterAll(() => redis.stop());

  it('wakes another instance up', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
    await wakeUntil(two, () => one.runs > 0);
  });

  it('leaves no jobs behind', async () => {
    const [one, two] = [startInstance(options), startInstance(options)];
    await wakeUntil(one, () => two.runs > 0);
    const client = new Redis(redis.url);
    const jobs = (): Promise<string[]> => client.keys('bull:gateway-wake:dispatch*');
    while ((await jobs()).length > 0) await sleep(10);
    expect(await client.zcard('bull:gateway-wake:completed')).toBe(0);
    expect(await client.zcard('bull:gateway-wake:failed')).toBe(0);
    client.disconnect();
  });

  it('looks on in this process while Redis is away, and reaches the others when it is back', async () => {
    const server = (await startRedis())!;
    const away = { ...options, redisUrl: server.url };
    const [one, two] = [startInstance(away), startInstance(away)];
    await wakeUntil(one, () => two.runs > 0);
    await server.stop();
    const before = one.runs;
    await wakeUntil(one, () => one.runs > before + 2);
    const reached = two.runs;
    const again = (await startRedis(server.port))!;
    await wakeUntil(one, () => two.runs > reached);
    await Promise.all([one.queue.stop(), two.queue.stop()]);
    await again.stop();
  });

  it('starts and stops without Redis', async () => {
    const server = (await startRedis())!;
    await server.stop();
    const instance = startInstance({ ...options, redisUrl: server.url });
    await wakeUntil(instance, () => instance.runs > 0);
    await instance.queue.stop();
  });

  it('stops in time while Redis hangs', async () => {
    const server = (await startRedis())!;
    const hanging = { ...options, redisUrl: server.url };
    const [one, two] = [startInstance(hanging), startInstance(hanging)];
    await wakeUntil(one, () => two.runs > 0);
    server.pause();
    const started = performance.now();
    await Promise.all([one.queue.stop(), two.queue.stop()]);
    expect(performance.now() - started).toBeLessThan(4_000);
    server.resume();
    await server.stop();
  });
});
