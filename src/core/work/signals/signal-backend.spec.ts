import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { MIGRATION_ADVISORY_LOCK_KEY, type PostgresQueueBackend } from 'bullmq';
import { Client } from 'pg';
import { eventually } from '../../../../test/support/eventually';
import { sharedPostgres } from '../../../../test/support/postgres';
import { redisOnPath, startRedis } from '../../../../test/support/redis';
import { SignalInstance, stopSignalInstances } from '../../../../test/support/signal-instance';
import { queueOptions, signalBackend } from './signal-backend';
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

  afterAll(() => client.end());

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

  it('survives a PostgreSQL that ends in the moment in which it has admitted the listening connection', async () => {
    const server = createServer((socket) => socket.once('data', () => admitAndEnd(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = queueOptions({ databaseUrl: `postgres://unknown@127.0.0.1:${port}/nothing` });
    const backend = signalBackend('work', options) as unknown as PostgresQueueBackend;
    const lost = once(backend.connection, 'listenerinvalidated');
    backend.on('error', () => undefined);
    await backend.connection.getListenClient();
    await lost;
    await backend.close();
    server.close();
  });

  (redisOnPath() ? describe : describe.skip)('where another application of the process has a Redis', () => {
    it('keeps them apart', async () => {
      const redis = (await startRedis())!;
      const onRedis = { databaseUrl: 'postgres://unknown@127.0.0.1:9/nothing', redisUrl: redis.url };
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

/** What a PostgreSQL sends whose administrator stops it while it answers the startup message, in one packet. */
function admitAndEnd(socket: Socket): void {
  const authenticated = message('R', Buffer.alloc(4));
  const ready = message('Z', Buffer.from('I'));
  const end = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));
  socket.end(Buffer.concat([authenticated, ready, end]));
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
