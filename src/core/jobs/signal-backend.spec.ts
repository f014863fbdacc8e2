import { MIGRATION_ADVISORY_LOCK_KEY } from 'bullmq';
import { Client } from 'pg';
import { eventually } from '../../../test/support/eventually';
import { sharedPostgres, stopSharedPostgres } from '../../../test/support/postgres';
import { redisOnPath, startRedis } from '../../../test/support/redis';
import { SignalInstance, stopSignalInstances } from '../../../test/support/signal-instance';
import { queueOptions } from './signal-backend';
import { SignalQueue } from './signal-queue';
import { SignalWorker } from './signal-worker';

describe('signalBackend', () => {
  let databaseUrl: string;
  let client: Client;

  beforeAll(async () => {
    databaseUrl = await (await sharedPostgres()).createDatabase();
    client = new Client(databaseUrl);
    await client.connect();
  }, 60_000);

  afterEach(stopSignalInstances);

  afterAll(async () => {
    await client.end();
    await stopSharedPostgres();
  });

  const connections = async () => {
    const { rows } = await client.query(
      'SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rows;
  };

  it('leaves no connection behind when it is closed before it is ready', async () => {
    // BullMQ's migration waits for it.
    await client.query(`SELECT pg_advisory_lock(${MIGRATION_ADVISORY_LOCK_KEY}, hashtext('bullmq'))`);
    const queue = new SignalQueue('work', queueOptions({ databaseUrl }));
    const worker = new SignalWorker('work', () => Promise.resolve(), queueOptions({ databaseUrl }));
    const ready = [queue.waitUntilReady(), worker.waitUntilReady()];
    await eventually('both wait', async () => expect(await connections()).toHaveLength(2));
    const closed = [queue.close(), worker.close()];
    await client.query('SELECT pg_advisory_unlock_all()');
    await Promise.allSettled([...ready, ...closed]);
    await eventually('they are closed', async () => expect(await connections()).toEqual([]));
  });

  it('takes at most three connections for a queue and its worker', async () => {
    const [one, two] = [await SignalInstance.start({ databaseUrl }), await SignalInstance.start({ databaseUrl })];
    await one.signalUntil(() => two.polls > 0);
    await two.stop();
    await eventually('its connections are closed', async () => expect((await connections()).length).toBeLessThan(4));
    let most = 0;
    const until = performance.now() + 1_000;
    while (performance.now() < until) {
      for (let kind = 0; kind < 20; kind++) one.queue.signal(`kind-${kind}`);
      most = Math.max(most, (await connections()).length);
    }
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
  });

  (redisOnPath() ? describe : describe.skip)('where another application of the process has a Redis', () => {
    it('keeps them apart', async () => {
      const redis = (await startRedis())!;
      const onRedis = { databaseUrl: 'postgres://nobody@127.0.0.1:9/nothing', redisUrl: redis.url };
      const [one, two] = [await SignalInstance.start(onRedis), await SignalInstance.start(onRedis)];
      const [three, four] = [await SignalInstance.start({ databaseUrl }), await SignalInstance.start({ databaseUrl })];
      await three.signalUntil(() => four.polls > 0);
      expect([one.polls, two.polls]).toEqual([0, 0]);
      await one.signalUntil(() => two.polls > 0);
      await Promise.all([one.stop(), two.stop()]);
      await redis.stop();
    });
  });
});
