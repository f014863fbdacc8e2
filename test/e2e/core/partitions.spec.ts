import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { newUuid } from '#contracts';
import { poolOf } from '../../../src/core/database/connections/gateway-pool';
import { dataSourceOptions, migrateDatabase } from '../../../src/core/database/data-source';
import { MIGRATIONS } from '../../../src/core/database/migrations';
import { PartitionByTime1767800000000 } from '../../../src/core/database/migrations/1767800000000-partition-by-time';
import { firstIdOf } from '../../../src/core/events/id-times';
import { PARTITION_KEYS } from '../../../src/core/events/partitions.rows';
import { Partitions } from '../../../src/core/events/partitions.service';
import { Retention } from '../../../src/core/events/retention.service';
import { DueDispatches } from '../../../src/webhooks/dispatch/due-dispatches.service';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres, withClient } from '../../support/postgres';

/** Without those that were made partitioned: they have no partition for the time before. */
const TABLES = Object.keys(PARTITION_KEYS).filter((table) => table !== 'tool_calls');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const AUDIT = `INSERT INTO audit_log (id, environment, method, path, client_ip, status, request_id, duration_ms, created_at)
  VALUES ($1, $2, 'GET', '/api/old', '::1', 200, $1, 1, $3)`;
const EVENT = `INSERT INTO events (id, environment, type, body, created_at) VALUES ($1, 'live', 'system.health', '{}', $2)`;
const DISPATCH = `INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at) VALUES ($1, $2, now(), $3)`;

const partitionsOf = (table: string) =>
  `SELECT relname AS name, pg_get_expr(relpartbound, oid) AS bound FROM pg_inherits JOIN pg_class ON oid = inhrelid
   WHERE inhparent = '${table}'::regclass ORDER BY bound`;

describe('the migration to partitions', () => {
  it('keeps rows, indexes and counts of a filled database, and can be reverted', async () => {
    const url = await (await sharedPostgres()).createEmptyDatabase();
    await migrateDatabase(url, { info: () => undefined, warn: () => undefined });
    const dataSource = await new DataSource(dataSourceOptions(url)).initialize();
    // Later migrations may change indexes.
    const migrations = MIGRATIONS.slice(0, MIGRATIONS.indexOf(PartitionByTime1767800000000) + 1);
    const untilThen = await new DataSource({ ...dataSourceOptions(url), migrations }).initialize();
    try {
      while (
        (await dataSource.query<unknown[]>(`SELECT 1 FROM pg_class WHERE relname = 'events' AND relkind = 'p'`))
          .length > 0
      )
        await dataSource.undoLastMigration();
      const [ordinary, odd] = [newUuid(), 'f0000000-0000-4000-8000-000000000000'];
      for (const id of [ordinary, odd]) {
        await dataSource.query(AUDIT, [id, 'live', new Date()]);
        await dataSource.query(EVENT, [id, new Date()]);
        await dataSource.query(DISPATCH, [id, id, null]);
      }
      const counts = () => dataSource.query('SELECT * FROM audit_counts ORDER BY owner, facet, hour');
      const before = await counts();
      expect(before).not.toEqual([]);
      const indexes = () =>
        dataSource.query(
          `SELECT tablename, replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes
           WHERE tablename = ANY ($1) ORDER BY 1, 2`,
          [TABLES],
        );
      const indexed = await indexes();
      await untilThen.runMigrations();
      expect(await counts()).toEqual(before);
      expect(await indexes()).toEqual(indexed);
      for (const table of ['audit_log', 'events', 'webhook_dispatches']) {
        const key = PARTITION_KEYS[table as 'events'];
        const places = await dataSource.query(
          `SELECT tableoid::regclass::text AS place, ${key} AS id FROM ${table} ORDER BY 2`,
        );
        expect(places).toEqual([
          { place: expect.stringMatching(`^${table}_until_\\d{8}$`) as string, id: ordinary },
          { place: `${table}_other`, id: odd },
        ]);
      }
      await dataSource.query('DELETE FROM audit_log');
      expect(
        await dataSource.query('SELECT FROM audit_counts GROUP BY owner, facet, hour HAVING sum(count) <> 0'),
      ).toEqual([]);
      while (
        (await dataSource.query<unknown[]>(`SELECT 1 FROM pg_class WHERE relname = 'events' AND relkind = 'p'`))
          .length > 0
      )
        await untilThen.undoLastMigration();
      expect(await dataSource.query('SELECT id FROM events ORDER BY id')).toEqual([{ id: ordinary }, { id: odd }]);
    } finally {
      await untilThen.destroy();
      await dataSource.destroy();
    }
  }, 60_000);
});

describe('partitions', () => {
  let gateway: TestGateway;
  let partitions: Partitions;

  /** The first partition ends so many days ago, as if it had been made long before. */
  async function endFirstPartition(days: number): Promise<void> {
    for (const table of TABLES) {
      const made = await gateway.sql<{ name: string }>(partitionsOf(table));
      const first = made.find(({ name }) => name.includes('_until_'));
      const others = made.filter(({ name }) => name.includes('_from_'));
      for (const { name } of others) await gateway.sql(`DROP TABLE ${name}`);
      await gateway.sql(`ALTER TABLE ${table} DETACH PARTITION ${first!.name}`);
      await gateway.sql(`TRUNCATE ${first!.name}, ${table}`);
      await gateway.sql(
        `ALTER TABLE ${table} ATTACH PARTITION ${first!.name} FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(hourOf(daysAgo(days)))}')`,
      );
    }
  }

  beforeEach(async () => {
    gateway = await startTestGateway();
    partitions = gateway.app.get(Partitions);
    // The run of the start must not meet what the specs do.
    await eventually('the partitions of the start are made', async () =>
      expect(
        await gateway.sql(
          `SELECT FROM timers WHERE name LIKE 'The partitions%' AND next_at > now() + interval '30 minutes'`,
        ),
      ).toHaveLength(1),
    );
  });
  afterEach(() => gateway.stop());

  const hourOf = (time: Date) => new Date(Math.floor(time.getTime() / 3_600_000) * 3_600_000);
  const names = async (table: string) =>
    (await gateway.sql<{ name: string }>(partitionsOf(table))).map(({ name }) => name);
  const put = async (time: Date, environment: string | null = 'live') => {
    const id = newUuid(time.getTime());
    await gateway.sql(AUDIT, [id, environment, time]);
    return id;
  };

  it('are created ahead, and rows without one are still stored', async () => {
    await endFirstPartition(100);
    const late = newUuid();
    await gateway.sql(EVENT, [late, new Date()]);
    await partitions.createAhead();
    const made = (await names('audit_log')).filter((name) => name.includes('_from_'));
    expect(made.length).toBeGreaterThanOrEqual(2);
    await put(new Date());
    const [stored] = await gateway.sql(
      `SELECT tableoid::regclass::text AS place FROM audit_log WHERE path = '/api/old'`,
    );
    expect(stored).toEqual({ place: made[0] });
    // Its rows of the present went elsewhere before: they stay, and the next period has a partition.
    expect((await names('events')).filter((name) => name.includes('_from_'))).toHaveLength(made.length - 1);
    expect(await gateway.sql('SELECT tableoid::regclass::text AS place FROM events WHERE id = $1', [late])).toEqual([
      { place: 'events_other' },
    ]);
    await partitions.createAhead();
    expect((await names('audit_log')).filter((name) => name.includes('_from_'))).toEqual(made);
    // Its settings are those of the others.
    expect(
      await gateway.sql(`SELECT DISTINCT (SELECT array_agg(each ORDER BY each) FROM unnest(reloptions) each)::text AS settings FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'webhook_dispatches'::regclass AND relname NOT LIKE '%other'`),
    ).toHaveLength(1);
  });

  it('are created for each missing period, also before a future one', async () => {
    await endFirstPartition(100);
    const period = 28 * DAY_MS;
    const later = (Math.floor(Date.now() / period) + 4) * period;
    const [from, until] = [later, later + period].map((time) => firstIdOf(new Date(time)));
    await gateway.sql(
      `CREATE TABLE audit_log_far PARTITION OF audit_log FOR VALUES FROM ('${from!}') TO ('${until!}')`,
    );
    await partitions.createAhead();
    await put(new Date());
    const [stored] = await gateway.sql<{ place: string }>(
      `SELECT tableoid::regclass::text AS place FROM audit_log WHERE path = '/api/old'`,
    );
    expect(stored!.place).toMatch(/^audit_log_from_/);
  });

  it('are created while sends run, even if many rows have no partition', async () => {
    const { databaseUrl } = gateway;
    await gateway.sql(
      `ALTER ROLE CURRENT_USER IN DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET client_min_messages = debug1`,
    );
    await gateway.stop();
    gateway = await startTestGateway({ databaseUrl });
    partitions = gateway.app.get(Partitions);
    const notices: string[] = [];
    const heard = new Set<PoolClient>();
    poolOf(gateway.app.get(DataSource)).on('acquire', (client) => {
      if (!heard.has(client)) client.on('notice', ({ message }) => notices.push(message!));
      heard.add(client);
    });
    await endFirstPartition(100);
    await partitions.createAhead();
    const next = (await names('events')).findLast((name) => name.includes('_from_'))!;
    await gateway.sql(`DROP TABLE ${next}`);
    // Their time is between those of the partitions, and they are more than are read under a lock.
    const old = () => newUuid(daysAgo(80).getTime());
    await gateway.sql(
      `INSERT INTO events (id, environment, type, body, created_at)
       SELECT id, 'live', 'system.health', '{}', now() FROM unnest($1::uuid[]) id`,
      [Array.from({ length: 20_000 }, old)],
    );
    expect(await gateway.sql('SELECT FROM ONLY events_other')).toHaveLength(20_000);
    const state = { ended: false };
    await withClient(databaseUrl, async (client) => {
      await client.query(`SET lock_timeout = '1s'`);
      const creating = partitions.createAhead().finally(() => (state.ended = true));
      while (!state.ended) {
        const send = { platform: 'telegram', recipient: '7', message: 'Hi' };
        const { status } = await gateway.api('POST', '/messages/send', send, { key: gateway.testKey });
        expect(status).toBe(200);
        await client.query(EVENT, [old(), new Date()]);
      }
      await creating;
    });
    expect(await names('events')).toContain(next);
    // Otherwise PostgreSQL has read them under the lock of the last step.
    expect(notices).toContain(
      'updated partition constraint for default partition "events_other" is implied by existing constraints',
    );
    expect(await gateway.sql(`SELECT FROM pg_constraint WHERE conname = 'events_other_bound'`)).toEqual([]);
  });

  it('remove what a crash left before the period begins', async () => {
    await endFirstPartition(100);
    await partitions.createAhead();
    const next = (await names('events')).findLast((name) => name.includes('_from_'))!;
    await gateway.sql(`DROP TABLE ${next}`);
    await gateway.sql(`ALTER TABLE events_other ADD CONSTRAINT events_other_bound CHECK (type <> 'x') NOT VALID`);
    await partitions.createAhead(false);
    expect(await names('events')).toContain(next);
    expect(await gateway.sql(`SELECT FROM pg_constraint WHERE conname = 'events_other_bound'`)).toEqual([]);
  });

  it('are dropped after the longer retention', async () => {
    await endFirstPartition(20);
    await put(daysAgo(25), 'live');
    await put(daysAgo(25), 'test');
    await put(daysAgo(1), 'test');
    await gateway.api('PATCH', '/admin/settings', { retention: { audit_days: 10 } });
    await gateway.app.get(Retention).deleteOld();
    // The other environment keeps its rows for longer.
    expect(await names('audit_log')).toHaveLength(2);
    await gateway.api('PATCH', '/admin/settings', { retention: { audit_days: 10 } }, { key: gateway.testKey });
    await gateway.app.get(Retention).deleteOld();
    expect(await names('audit_log')).toEqual(['audit_log_other']);
    expect(await gateway.sql(`SELECT environment FROM audit_log WHERE path = '/api/old'`)).toEqual([
      { environment: 'test' },
    ]);
  });

  it('of events stay while a dispatch of them is left', async () => {
    await endFirstPartition(100);
    const event = newUuid(daysAgo(200).getTime());
    await gateway.sql(EVENT, [event, daysAgo(200)]);
    await gateway.sql(DISPATCH, [event, newUuid(), null]);
    await partitions.dropBefore('webhook_dispatches', daysAgo(101));
    expect(await names('webhook_dispatches')).toHaveLength(2);
    await gateway.app.get(Retention).deleteOld();
    for (const table of ['events', 'webhook_dispatches', 'webhook_deliveries'])
      expect(await names(table)).toEqual([`${table}_other`]);
  });

  it('are postponed while a transaction reads them, without blocking statements', async () => {
    await endFirstPartition(100);
    await withClient(gateway.databaseUrl, async (reader) => {
      await reader.query('BEGIN; SELECT FROM events');
      const state = { ended: false };
      const dropping = partitions.dropBefore('events', daysAgo(50)).finally(() => (state.ended = true));
      const waits: number[] = [];
      while (!state.ended) {
        const startedAt = performance.now();
        await gateway.sql('SELECT FROM events LIMIT 1');
        waits.push(performance.now() - startedAt);
      }
      await dropping;
      // The limit of the lock is 40 ms; a loaded machine adds to it.
      expect(Math.max(...waits)).toBeLessThan(500);
      expect(await names('events')).toHaveLength(2);
      await reader.query('COMMIT');
    });
    await partitions.dropBefore('events', daysAgo(50));
    expect(await names('events')).toEqual(['events_other']);
  });

  it('with rows at the same place claim only the dispatch that is due', async () => {
    await endFirstPartition(100);
    const webhook = newUuid();
    await gateway.sql(
      `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
       VALUES ($1, 'live', 'https://example.com/', '{}', '', now(), now())`,
      [webhook],
    );
    const [old, due] = [newUuid(daysAgo(200).getTime()), newUuid()];
    for (const id of [old, due]) await gateway.sql(EVENT, [id, new Date()]);
    await gateway.sql(DISPATCH, [old, webhook, null]);
    await gateway.sql(DISPATCH, [due, webhook, new Date()]);
    const places = await gateway.sql<{ place: string }>('SELECT DISTINCT ctid::text AS place FROM webhook_dispatches');
    expect(places).toHaveLength(1);
    const claimed = await gateway.app.get(DueDispatches).claim(new Map([[webhook, { all: 5, old: 5 }]]), 10);
    expect(claimed.map(({ event_id }) => event_id)).toEqual([due]);
  });
});
