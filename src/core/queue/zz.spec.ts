import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { redisOnPath, startRedis, type TestRedis } from '../../../test/support/redis';
import { EmbeddedPostgres } from '../database/embedded-postgres/embedded-postgres';
import type { QueueOptions } from './queue.module-definition';
import { QueueModule } from './queue.module';
import { WakeQueue } from './wake-queue';

const NO_DATABASE = 'postgres://nobody@127.0.0.1:9/nothing';

const running: WakeQueue[] = [];

interface Instance {
  queue: WakeQueue;
  runs: number;
}

/** One instance of a deployment, which counts its runs. */
function startInstance(options: QueueOptions, handler?: () => Promise<void>): Instance {
  const queue = new WakeQueue(options);
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
    queue.wake('dispatch');
    await sleep(10);
  }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((queue) => queue.stop()));
});

describe(WakeQueue.name, () => {
  it('looks at once in this process, whether there is a queue or not', async () => {
    const looked = Promise.withResolvers<void>();
    const { queue } = startInstance({ databaseUrl: NO_DATABASE }, () => Promise.resolve(looked.resolve()));
    queue.wake('dispatch');
    await looked.promise;
  });

  it('takes a thousand wake-ups for one', async () => {
    const instance = startInstance({ databaseUrl: NO_DATABASE });
    for (let count = 0; count < 1_000; count++) instance.queue.wake('dispatch');
    await instance.queue.stop();
    expect(instance.runs).toBeLessThanOrEqual(1);
  });

  it('costs less than a microsecond when it is asked for already', () => {
    const { queue } = startInstance({ databaseUrl: NO_DATABASE });
    const started = performance.now();
    for (let count = 0; count < 100_000; count++) queue.wake('dispatch');
    expect(performance.now() - started).toBeLessThan(100);
  });

  it('keeps for the start what is asked for while modules initialise', async () => {
    const queue = new WakeQueue({ databaseUrl: NO_DATABASE });
    running.push(queue);
    const looked = Promise.withResolvers<void>();
    queue.register('dispatch', () => Promise.resolve(looked.resolve()));
    queue.wake('dispatch');
    queue.onApplicationBootstrap();
    await looked.promise;
  });

  it('goes on after a handler failed', async () => {
    const instance = startInstance({ databaseUrl: NO_DATABASE }, () => Promise.reject(new Error('database away')));
    await wakeUntil(instance, () => instance.runs >= 3);
  });

  it('never throws for a kind that nobody does', () => {
    const { queue } = startInstance({ databaseUrl: NO_DATABASE });
    expect(() => queue.wake('unheard-of')).not.toThrow();
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
      imports: [QueueModule.forRootAsync({ useFactory: () => ({ databaseUrl: NO_DATABASE }) })],
    }).compile();
    let runs = 0;
    module.get(WakeQueue).register('dispatch', () => {
      runs++;
      begun.resolve();
      return gate.promise;
    });
    await module.init();
    module.get(WakeQueue).wake('dispatch');
    await begun.promise;
    let closed = false;
    const closing = module.close().then(() => (closed = true));
    module.get(WakeQueue).wake('dispatch');
    await sleep(20);
    expect(closed).toBe(false);
    gate.resolve();
    await closing;
    expect(runs).toBe(1);
  });
});

describe('WakeQueue on PostgreSQL', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let options: QueueOptions;
  let client: Client;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'wake-queue-'));
    chmodSync(dataDir, 0o755);
    postgres = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    options = { databaseUrl: postgres.url };
    client = new Client({ connectionString: postgres.url });
    await client.connect();
  }, 60_000);

  afterAll(async () => {
    await client.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
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

  it('measures', async () => {
    const w = (t: string) => process.stderr.write(t + '\n');
    const q = async (): Promise<number> => Number((await client.query(`SELECT pg_stat_clear_snapshot(), xact_commit AS count FROM pg_stat_database WHERE datname = current_database()`)).rows[0]!.count);
    let t = performance.now();
    const one = startInstance(options);
    let n = 0;
    while (!(await client.query(`select to_regclass('bullmq.job') r`)).rows[0].r) await sleep(5);
    w(`M schema ${performance.now() - t}`);
    const two = startInstance(options);
    await wakeUntil(one, () => two.runs > 0);
    w(`M woken ${performance.now() - t}`);
    await sleep(12_000);
    const a0 = await q(); await sleep(60_000); const a1 = await q();
    w(`M idle two instances: ${a1 - a0 - 1} tx in 60 s`);
    await one.queue.stop();
    t = performance.now();
    const three = startInstance(options);
    await wakeUntil(three, () => two.runs > 1);
    w(`M warm open+wake ${performance.now() - t}`);
    await sleep(2000);
    const b0 = await q(); const c0 = process.cpuUsage(); const r0 = [two.runs, three.runs];
    const end = Date.now() + 5000;
    while (Date.now() < end) { three.queue.wake('dispatch'); n++; await sleep(1); }
    const c = process.cpuUsage(c0);
    await sleep(1500);
    w(`M load: ${n} wakes in 5 s, ${(await q()) - b0} tx, cpu ${(c.user + c.system) / 1000} ms, runs ${three.runs - r0[1]!} own ${two.runs - r0[0]!} other`);
    const conns = await client.query(`select application_name, state, left(query,60) q from pg_stat_activity where backend_type='client backend' and pid<>pg_backend_pid()`);
    w('M ' + JSON.stringify(conns.rows));
    const lat: number[] = [];
    for (let i = 0; i < 30; i++) { await sleep(150); const before = two.runs; const s0 = performance.now(); three.queue.wake('dispatch'); const d = Date.now() + 100; while (two.runs === before && Date.now() < d) await new Promise(setImmediate); if (two.runs > before) lat.push(performance.now() - s0); }
    lat.sort((x, y) => x - y);
    w(`M latency to the other: n=${lat.length} p50 ${lat[lat.length >> 1]} max ${lat.at(-1)}`);
    t = performance.now(); await Promise.all([three.queue.stop(), two.queue.stop()]); w(`M stop ${performance.now() - t}`);
  }, 200_000);
});
