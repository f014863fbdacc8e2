import { Client, Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { BusyConnections } from '../../../src/core/database/connections/busy-connections';
import { DatabaseListener } from '../../../src/core/database/database-listener.service';
import { dataSourceOptions, finishSchema, migrateDatabase } from '../../../src/core/database/data-source';
import { FINISHING, MIGRATIONS } from '../../../src/core/database/migrations';
import { CountConversations1764000510000 } from '../../../src/core/database/migrations/1764000510000-count-conversations';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres } from '../../support/postgres';
import { TcpProxy } from '../../support/tcp-proxy';

const MESSAGE = { platform: 'telegram', recipient: '7', message: 'Hello' };
const QUIET = { info: () => undefined, warn: () => undefined };

/** Migrated, and open as the gateway's is. */
async function open(url: string, { entities }: Pick<DataSource['options'], 'entities'> = {}): Promise<DataSource> {
  await migrateDatabase(url, QUIET);
  return new DataSource({ ...dataSourceOptions(url), entities }).initialize();
}

describe('the migrations', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const gateway = await startTestGateway();
    const { options } = gateway.app.get(DataSource);
    await gateway.stop();
    dataSource = await open(await (await sharedPostgres()).createEmptyDatabase(), options);
  });

  afterAll(() => dataSource.destroy());

  /** Everything that a migration may have made and forgotten to take back. */
  const objects = () =>
    dataSource.query<{ kind: string; name: string }[]>(
      `SELECT 'relation ' || relkind::text AS kind, relname AS name FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'migrations%'
           AND relname <> 'typeorm_metadata'
           AND oid NOT IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'migrations'::regclass)
       UNION ALL SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
       UNION ALL SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       ORDER BY 1, 2`,
    );
  /** TypeORM looks the expressions of generated columns up in a table that only its own schema builder fills. */
  const METADATA = `typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)`;
  const drift = async () => {
    await dataSource.query(`CREATE TABLE IF NOT EXISTS ${METADATA}`);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.query('DROP TABLE typeorm_metadata');
    return upQueries.map(({ query }) => query);
  };

  it('create the schema that the entities describe, once it is finished', async () => {
    const runner = dataSource.createQueryRunner();
    await new FINISHING().up(runner);
    expect(await drift()).toEqual([]);
    await new FINISHING().down(runner);
    await runner.release();
  });

  it('refuse versions without accounts once the schema is finished', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    expect(await finishSchema(url, QUIET)).toBe(true);
    expect(await finishSchema(url, QUIET)).toBe(false);
    expect(await migrateDatabase(url, QUIET)).toBe(0);
    // As the version before starts.
    const former = await new DataSource(dataSourceOptions(url)).initialize();
    await expect(former.runMigrations()).rejects.toThrow('start the newer version');
    await former.destroy();
  });

  it('revert completely, and apply again with the same result', async () => {
    const before = await objects();
    expect(before.length).toBeGreaterThan(10);
    for (const _ of MIGRATIONS) await dataSource.undoLastMigration();
    expect(await objects()).toEqual([]);
    await dataSource.runMigrations();
    expect(await objects()).toEqual(before);
  });

  it('count existing conversations', async () => {
    const since = MIGRATIONS.findIndex(({ name }) => name.startsWith('GuideLists'));
    for (const _ of MIGRATIONS.slice(since)) await dataSource.undoLastMigration();
    await dataSource.query(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, created_at, last_message_at)
       SELECT gen_random_uuid(), CASE WHEN i < 8 THEN 'live' ELSE 'test' END::environment, 'telegram', i::text,
         CASE WHEN i % 3 = 0 THEN 'archived' ELSE 'active' END, now() - i / 2 * interval '1 hour', now()
       FROM generate_series(1, 10) i`,
    );
    await dataSource.runMigrations();
    const counted = (hour: string) =>
      dataSource.query<unknown[]>(
        `SELECT environment, platform, status, sum(count)::int AS count FROM conversation_counts WHERE hour ${hour} '-infinity'
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      );
    const there = await dataSource.query<unknown[]>(
      'SELECT environment, platform, status, count(*)::int AS count FROM conversations GROUP BY 1, 2, 3 ORDER BY 1, 2, 3',
    );
    expect(there).toHaveLength(4);
    expect(await counted('=')).toEqual(there);
    expect(await counted('>')).toEqual(there);
  });

  it('do not count what the triggers have counted', async () => {
    await dataSource.query('DELETE FROM conversation_counts');
    await dataSource.query(`UPDATE conversations SET status = 'archived' WHERE participant_id = '1'`);
    await dataSource.query(`INSERT INTO conversations (id, environment, platform, participant_id, created_at, last_message_at)
      VALUES (gen_random_uuid(), 'live', 'discord', 'new', now(), now())`);
    const runner = dataSource.createQueryRunner();
    await new CountConversations1764000510000().up(runner);
    await runner.release();
    const total = (table: string, number: string) =>
      `SELECT platform, status, ${number} AS n FROM ${table} WHERE environment = 'live'`;
    const sums = await dataSource.query<unknown[]>(
      `SELECT platform, status, sum(n)::int AS count FROM (
         ${total('conversation_counts', 'count')} AND hour = '-infinity'
         UNION ALL ${total('conversation_count_changes', 'change')}
       ) counted GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const there = await dataSource.query<unknown[]>(
      `SELECT platform, status, count(*)::int AS count FROM conversations WHERE environment = 'live' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(sums).toEqual(there);
  });

  it('migrate outbox events to deliveries and replies', async () => {
    const since = MIGRATIONS.findIndex(({ name }) => name.startsWith('DropEventOutbox'));
    for (const _ of MIGRATIONS.slice(since)) await dataSource.undoLastMigration();
    const id = newUuid();
    const event = (type: string, data: object) =>
      `(gen_random_uuid(), 'test', '${type}', '${JSON.stringify({ data })}', now())`;
    await dataSource.query(`
      WITH webhook AS (
        INSERT INTO webhooks (id, environment, url, events, status, secret, created_at, updated_at)
        SELECT gen_random_uuid(), environment, 'https://example.com/' || n, events, status, '', now(), now()
        FROM (VALUES (1, 'test'::environment, '{*}'::text[], 'active'), (2, 'test', '{message.sent}', 'active'),
          (3, 'test', '{*}', 'disabled'), (4, 'live', '{*}', 'active')) w (n, environment, events, status)
      ),
      conversation AS (
        INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
        VALUES (gen_random_uuid(), 'test', 'telegram', 'ada', 1, now(), now()) RETURNING id
      ),
      message AS (
        INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
        SELECT '${id}', 'test', id, 1, 'telegram', 'inbound', 'Hello', 'received', now() FROM conversation
      ),
      event AS (
        INSERT INTO events (id, environment, type, body, created_at)
        VALUES ${event('message.received', { message_id: toPublicId('message', id) })}, ${event('message.sent', {})}
        RETURNING id
      )
      INSERT INTO event_outbox (event_id, lease_until) SELECT id, now() FROM event`);
    await dataSource.runMigrations();
    expect(
      await dataSource.query(`SELECT event.type, right(webhook.url, 1) AS webhook FROM webhook_dispatches dispatch
        JOIN events event ON event.id = dispatch.event_id JOIN webhooks webhook ON webhook.id = dispatch.webhook_id
        WHERE dispatch.state = 'pending' AND dispatch.next_at IS NOT NULL ORDER BY 1, 2`),
    ).toEqual([
      { type: 'message.received', webhook: '1' },
      { type: 'message.sent', webhook: '1' },
      { type: 'message.sent', webhook: '2' },
    ]);
    expect(await dataSource.query('SELECT requested_seq, next_at IS NOT NULL AS due FROM reply_tasks')).toEqual([
      { requested_seq: 1, due: true },
    ]);
  });

  it('run once when instances start together', async () => {
    const url = await (await sharedPostgres()).createEmptyDatabase();
    const opened = await Promise.all([1, 2, 3].map(() => open(url)));
    const [row] = await opened[0]!.query<{ count: number }[]>('SELECT count(*)::int AS count FROM migrations');
    expect(row).toEqual({ count: MIGRATIONS.length });
    await Promise.all(opened.map((instance) => instance.destroy()));
  });

  it('have no time limit, unlike other statements', async () => {
    const limits: unknown[] = [];
    class RecordLimits9999999999999 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        const [row] = (await runner.query('SHOW statement_timeout')) as object[];
        limits.push(row);
      }

      async down(): Promise<void> {
        // nothing was made
      }
    }
    MIGRATIONS.push(RecordLimits9999999999999);
    try {
      const opened = await open(await (await sharedPostgres()).createEmptyDatabase());
      limits.push(...(await opened.query<object[]>('SHOW statement_timeout')));
      await opened.destroy();
    } finally {
      MIGRATIONS.pop();
    }
    expect(limits).toEqual([{ statement_timeout: '0' }, { statement_timeout: '15s' }]);
  });

  it('are retried no longer than the given time', async () => {
    const url = 'postgres://unknown@127.0.0.1:1/nothing';
    expect(dataSourceOptions(url)).toMatchObject({ url });
    await expect(migrateDatabase(url, QUIET, 0)).rejects.toThrow(/cannot be reached.*ECONNREFUSED/);
  });
});

describe('a start that fails', () => {
  it('leaves no connection behind', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    const observer = new Client(databaseUrl);
    await observer.connect();
    try {
      await observer.query('ALTER TABLE settings RENAME TO other_settings');
      await expect(startTestGateway({ databaseUrl })).rejects.toThrow(/settings/);
      // A backend ends a moment after its client.
      await eventually('no connection is left', async () => {
        const left = await observer.query(`SELECT application_name FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
        expect(left.rows).toEqual([]);
      });
    } finally {
      await observer.end();
    }
  });
});

describe('during a database outage', () => {
  let proxy: TcpProxy;
  let gateway: TestGateway;

  beforeAll(async () => {
    proxy = await new TcpProxy(await (await sharedPostgres()).createDatabase()).open();
    gateway = await startTestGateway({ databaseUrl: proxy.url });
  });

  afterAll(async () => {
    await gateway.stop();
    await proxy.cut();
  });

  const send = () => gateway.api('POST', '/messages/send', MESSAGE, { key: gateway.testKey });

  const recovers = async () => {
    await proxy.open();
    const openedAt = performance.now();
    await eventually('it is ready again', async () => {
      expect((await gateway.api('GET', '/health/ready')).status).toBe(200);
      // The pool may answer first. Until the listener has a connection again, it may judge that the outage goes on.
      expect(gateway.app.get(DatabaseListener).isAliveWithin(performance.now() - openedAt)).toBe(true);
    });
  };

  it('requests in progress are answered, and the process continues', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 ? send() : gateway.api('GET', '/messages')));
    await calls[0];
    await proxy.cut();
    for (const { status } of await Promise.all(calls)) expect([200, 500]).toContain(status);
    await recovers();
    expect((await send()).status).toBe(200);
  });

  it('a hanging database makes the process not ready in time', async () => {
    proxy.freeze();
    const startedAt = performance.now();
    expect((await gateway.api('GET', '/health/ready')).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect((await gateway.api('GET', '/health/live')).status).toBe(200);
    await proxy.cut();
    await recovers();
  });

  it('the API answers 500 at once, readiness fails, and both recover', async () => {
    expect((await send()).status).toBe(200);
    await proxy.cut();
    await eventually('it is not ready', async () => {
      expect((await gateway.api('GET', '/health/ready')).status).toBe(503);
    });
    for (const call of [send, () => gateway.api('GET', '/messages'), () => gateway.api('GET', '/conversations')]) {
      const startedAt = performance.now();
      const { status, body } = await call();
      expect({ status, body }).toEqual(expectedError('INTERNAL_ERROR', null));
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
    expect((await gateway.api('GET', '/health/live')).status).toBe(200);

    await recovers();
    expect((await send()).status).toBe(200);
    // Those that were interrupted are taken up once their lease has run out.
    await eventually(
      'work goes on: deliveries are confirmed',
      async () => expect(await gateway.sql(`SELECT 1 FROM messages WHERE status <> 'delivered'`)).toEqual([]),
      { timeoutMs: 25_000 },
    );
  }, 60_000);
});

describe(BusyConnections.name, () => {
  it('closes connections whose statement began too long ago, and no others', async () => {
    const pool = new Pool({ connectionString: await (await sharedPostgres()).createEmptyDatabase() });
    const sut = new BusyConnections(pool);
    const sleeping = pool.query('SELECT pg_sleep(60)').catch((error: unknown) => error);
    const client = await pool.connect();
    client.on('error', () => undefined);
    await client.query('SELECT pg_sleep(0.3)');
    sut.ask(client);
    const working = client.query('SELECT pg_sleep(0.2), 1 AS one');
    sut.cut(250);
    expect(await sleeping).toMatchObject({ message: expect.stringMatching(/terminated/) });
    expect((await working).rows).toEqual([expect.objectContaining({ one: 1 })]);
    sut.cut();
    await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable|closed/);
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});
