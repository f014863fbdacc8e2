import { MIGRATION_ADVISORY_LOCK_KEY } from 'bullmq';
import { Client } from 'pg';
import { eventually } from '../../../test/support/eventually';
import { sharedPostgres, stopSharedPostgres } from '../../../test/support/postgres';
import { createSignalBackend } from './signal-backend';

describe(createSignalBackend.name, () => {
  let databaseUrl: string;
  let client: Client;

  beforeAll(async () => {
    databaseUrl = await (await sharedPostgres()).createDatabase();
    client = new Client(databaseUrl);
    await client.connect();
  }, 60_000);

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
    const { queue, worker } = createSignalBackend({ databaseUrl }, async () => undefined);
    const ready = [queue.waitUntilReady(), worker.waitUntilReady()];
    await eventually('both wait', async () => expect(await connections()).toHaveLength(2));
    const closed = [queue.close(), worker.close(true)];
    await client.query('SELECT pg_advisory_unlock_all()');
    await Promise.allSettled([...ready, ...closed]);
    await eventually('they are closed', async () => expect(await connections()).toEqual([]));
  });
});
