import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { eventually } from '../../../test/support/eventually';
import { sharedPostgres } from '../../../test/support/postgres';
import { redisOnPath, startRedis, type TestRedis } from '../../../test/support/redis';
import { TEST_SECRETS } from '../../../test/support/test-secrets';
import {
  CREATE_PIECES,
  LEASE_SECONDS,
  msUntil,
  stopWorkInstances,
  WorkInstance,
} from '../../../test/support/work-instance';
import { openQueueServer, queueOptions, type QueueServer } from './queue-server';
import { SWEEP, Work } from './work.service';

/** The sweep runs each second; the rest is for a busy machine. */
const SWEEP_MS = 3_000;

const BACKENDS = [['PostgreSQL', false], ...(redisOnPath() ? [['Redis', true] as const] : [])] as [string, boolean][];

describe.each(BACKENDS)(`${Work.name} on %s`, (_, isOnRedis) => {
  let databaseUrl: string;
  let redis: TestRedis | undefined;
  let client: Client;

  beforeAll(async () => {
    redis = isOnRedis ? await startRedis() : undefined;
  }, 60_000);

  beforeEach(async () => {
    databaseUrl = await (await sharedPostgres()).createDatabase();
    client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(CREATE_PIECES);
  }, 60_000);

  afterEach(async () => {
    await stopWorkInstances();
    await client.end();
  });

  afterAll(() => redis?.stop());

  const start = (kind?: Parameters<typeof WorkInstance.start>[2]) => WorkInstance.start(databaseUrl, redis?.url, kind);
  /** Opens the server of the queues as another process would. */
  const withServer = async <T>(
    work: (server: QueueServer) => Promise<T>,
    namespace = TEST_SECRETS.namespace,
  ): Promise<T> => {
    const server = await openQueueServer({ databaseUrl, redisUrl: redis?.url, namespace });
    try {
      return await work(server);
    } finally {
      await server.close();
    }
  };
  /** From now on only jobs find due rows. */
  const stopSweep = () =>
    client.query(
      `INSERT INTO timers (name, next_at) VALUES ($1, 'infinity') ON CONFLICT (name) DO UPDATE SET next_at = 'infinity'`,
      [SWEEP],
    );
  const becomesDone = (id: string) => eventually('it is done', async () => expect(await isDone(id)).toBe(true));
  const addPiece = async (nextAt = 'now()', leaseUntil = 'NULL') => {
    const id = randomUUID();
    await client.query(`INSERT INTO pieces (id, next_at, lease_until) VALUES ($1, ${nextAt}, ${leaseUntil})`, [id]);
    return id;
  };
  const runsOf = async (id: string) => {
    const { rows } = await client.query<{ runs: number }>('SELECT runs FROM pieces WHERE id = $1', [id]);
    return rows[0]!.runs;
  };
  const isDone = async (id: string) => (await runsOf(id)) === 1;
  /** Removes all jobs: a flushed Redis, or a queue table that lost its rows. */
  const flush = async () => {
    if (!redis) {
      await client.query('TRUNCATE bullmq.job, bullmq.dedup CASCADE');
      return;
    }
    const command = new Redis(redis.url);
    await command.flushall();
    command.disconnect();
  };
  const jobCounts = (namespace?: string) =>
    withServer(async (server) => {
      const queue = new Queue('pieces-live', queueOptions(server));
      const counts = await queue.getJobCounts('wait', 'active', 'delayed');
      await queue.close();
      return counts;
    }, namespace);

  it('runs a due key at once when notified, and leaves no job behind', async () => {
    await stopSweep();
    const instance = await start();
    const id = await addPiece();
    instance.wake(id);
    await becomesDone(id);
    await eventually('no job is left', async () =>
      expect(await jobCounts()).toEqual({ wait: 0, active: 0, delayed: 0 }),
    );
  });

  it('runs a due row at once although its key has a retry in twelve hours', async () => {
    await stopSweep();
    const instance = await start();
    const id = await addPiece(`now() + interval '12 hours'`);
    instance.wake(id);
    await eventually('the job of the retry waits', async () => expect(await jobCounts()).toMatchObject({ delayed: 1 }));
    await client.query('UPDATE pieces SET next_at = now() WHERE id = $1', [id]);
    instance.wake(id);
    await becomesDone(id);
  });

  it('runs a row on time without the sweep', async () => {
    await stopSweep();
    const instance = await start();
    const id = await addPiece(`now() + interval '500 milliseconds'`);
    instance.wake(id);
    expect(await msUntil(() => isDone(id))).toBeGreaterThan(400);
  });

  it('runs a key within two seconds after the process with its job died', async () => {
    const id = await addPiece();
    await withServer(async (server) => {
      const queue = new Queue('pieces-live', queueOptions(server));
      await queue.add('pieces', { key: id }, { deduplication: { id, replace: true } });
      const taken = Promise.withResolvers<void>();
      // The process dies before it releases the key: it sends neither a result nor a heartbeat.
      const worker = new Worker(
        'pieces-live',
        () => (taken.resolve(), new Promise(() => undefined)),
        queueOptions(server),
      );
      await taken.promise;
      await worker.close(true);
      await queue.close();
    });
    const instance = await start();
    expect(await msUntil(() => isDone(id))).toBeLessThan(SWEEP_MS);
    // The key is free again: the next job does not wait for the stall check.
    await stopSweep();
    await client.query('UPDATE pieces SET next_at = now(), runs = 0 WHERE id = $1', [id]);
    instance.wake(id);
    await becomesDone(id);
  });

  it('runs a key again after the lease of a dead process expires', async () => {
    await start();
    const id = await addPiece('now()', `now() + interval '${LEASE_SECONDS} seconds'`);
    const ms = await msUntil(() => isDone(id));
    expect(ms).toBeGreaterThan(LEASE_SECONDS * 1_000 - 100);
    expect(ms).toBeLessThan(LEASE_SECONDS * 1_000 + SWEEP_MS);
  });

  it('is only a second late when all jobs are lost', async () => {
    const instance = await start();
    const later = await addPiece(`now() + interval '1 second'`);
    instance.wake(later);
    await eventually('its job waits', async () => expect(await jobCounts()).toMatchObject({ delayed: 1 }));
    await flush();
    const due = await addPiece();
    await eventually('both are done', async () => expect([await runsOf(later), await runsOf(due)]).toEqual([1, 1]), {
      timeoutMs: 1_000 + SWEEP_MS,
    });
  });

  it('never runs a key twice at once, and once for all notifications in the meantime', async () => {
    const [one, two] = [await start(), await start()];
    const id = await addPiece();
    const gate = Promise.withResolvers<void>();
    one.gate = two.gate = gate.promise;
    const asked = setInterval(() => [one, two].forEach((instance) => instance.wake(id)), 5);
    // Longer than a lease: the holder extends it.
    await eventually('it runs', () => expect([...one.begun, ...two.begun]).toHaveLength(1));
    await sleep(1.5 * LEASE_SECONDS * 1_000);
    expect([...one.begun, ...two.begun]).toHaveLength(1);
    clearInterval(asked);
    gate.resolve();
    await eventually('it is done', async () => expect(await isDone(id)).toBe(true));
    expect([...one.begun, ...two.begun]).toHaveLength(1);
  });

  it("runs as many keys at once as the kind's concurrency", async () => {
    const instance = await start();
    const gate = Promise.withResolvers<void>();
    instance.gate = gate.promise;
    const ids = await Promise.all(Array.from({ length: 10 }, () => addPiece()));
    for (const id of ids) instance.wake(id);
    await eventually('four run', () => expect(instance.begun).toHaveLength(4));
    gate.resolve();
    await eventually('all are done', async () => expect(await Promise.all(ids.map(runsOf))).toEqual(ids.map(() => 1)));
  });

  it('waits at a stop for running work, and leaves the rest to other instances', async () => {
    const instance = await start();
    const gate = Promise.withResolvers<void>();
    instance.gate = gate.promise;
    const id = await addPiece();
    instance.wake(id);
    await eventually('it runs', () => expect(instance.begun).toEqual([id]));
    let isStopped = false;
    const stopping = instance.stop().then(() => (isStopped = true));
    const other = await addPiece();
    instance.wake(other);
    await sleep(200);
    expect(isStopped).toBe(false);
    gate.resolve();
    await stopping;
    expect([await runsOf(id), await runsOf(other)]).toEqual([1, 0]);
  });

  it('reschedules a failed run, and repeats it on time', async () => {
    let fails = true;
    const instance = await start({ backoff: { baseMs: 50, capMs: 50 } });
    const gate = () => (fails ? Promise.reject(new Error('a fault')) : Promise.resolve());
    Object.defineProperty(instance, 'gate', { get: gate });
    const id = await addPiece();
    instance.wake(id);
    await eventually('it has failed', () => expect(instance.begun.length).toBeGreaterThan(1));
    fails = false;
    await eventually('it is done', async () => expect(await isDone(id)).toBe(true));
  });

  it('makes few queries while nothing is due', async () => {
    await start();
    const statements = async () => {
      const { rows } = await client.query<{ count: number }>(
        `SELECT sum(xact_commit)::int AS count FROM pg_stat_database WHERE datname = current_database()`,
      );
      return rows[0]!.count;
    };
    // Each connection reports its statistics once a second.
    await sleep(2_500);
    const before = await statements();
    await sleep(5_000);
    // Each second: the claim of the timers and the sweep, and about as many statements of the listener, the clock and the
    // due work monitor.
    expect((await statements()) - before).toBeLessThan(40);
  });

  if (isOnRedis)
    it('ignores jobs of another deployment on the same Redis', async () => {
      await stopSweep();
      const instance = await start();
      const addJob = async (server: QueueServer) => {
        const queue = new Queue('pieces-live', queueOptions(server));
        await queue.add('pieces', { key: await addPiece() });
        await queue.close();
      };
      await withServer(addJob, 'another');
      await withServer(addJob);
      await eventually('its own job is done', () => expect(instance.begun).toHaveLength(1));
      expect(await jobCounts('another')).toMatchObject({ wait: 1 });
      expect(await jobCounts()).toMatchObject({ wait: 0 });
    });

  if (isOnRedis)
    it('keeps working while Redis is unavailable, and after', async () => {
      const instance = await start();
      const { port } = redis!;
      await redis!.stop();
      const ids = [await addPiece(), await addPiece()];
      instance.wake(ids[0]!);
      await eventually('both are done', async () => expect(await Promise.all(ids.map(runsOf))).toEqual([1, 1]));
      redis = (await startRedis(port))!;
      await stopSweep();
      const after = await addPiece();
      await eventually('jobs are taken again', async () => {
        instance.wake(after);
        expect(await isDone(after)).toBe(true);
      });
    }, 60_000);
});
