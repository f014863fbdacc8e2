import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { TestPostgres } from '../../support/postgres';

const SENDS = 200;
const AT_ONCE = 20;
const RECIPIENTS = 50;
/** How long the gateway is watched without sends. */
const IDLE_MS = 2_000;
/** Most connections of the gateway's pool. */
const POOL = 20;
/** What a send writes; others are written by the second or by the minute. */
const TABLES = [
  'messages',
  'message_tasks',
  'message_parts',
  'conversations',
  'events',
  'webhook_dispatches',
  'audit_log',
];

interface Table {
  name: string;
  inserted: number;
  updated: number;
  hot: number;
  deleted: number;
}

describe("PostgreSQL's work for a sandbox send", () => {
  // The log is one for the server: here it has no other database.
  let postgres: TestPostgres;
  let gateway: TestGateway;

  afterAll(async () => {
    await gateway.stop();
    await postgres.stop();
  });
  beforeAll(async () => {
    postgres = await TestPostgres.start();
    gateway = await startTestGateway({ databaseUrl: await postgres.createDatabase() });
    await gateway.api(
      'PATCH',
      '/admin/settings',
      { rate_limits: { messages_per_minute: 100_000 } },
      { key: gateway.testKey },
    );
    // Conversations exist, statements are prepared.
    await send(RECIPIENTS * 2);
    await settled(RECIPIENTS * 2);
    // The first change of a page after a checkpoint logs the whole page: these are from before.
    await send(SENDS);
    await settled(RECIPIENTS * 2 + SENDS);
  });

  /** Sends one message after the other, some at once. */
  async function send(count: number, to = gateway): Promise<void> {
    let next = 0;
    const one = async () => {
      while (next < count) {
        const message = { platform: 'telegram', recipient: String(1_000 + (next++ % RECIPIENTS)), message: TEXT };
        const { status } = await to.api('POST', '/messages/send', message, { key: to.testKey });
        expect(status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  const settled = (count: number) =>
    eventually('every message is delivered, and every request in the audit log', async () => {
      const [row] = await gateway.sql(
        `SELECT (SELECT count(*)::int FROM messages WHERE status = 'delivered') AS delivered,
           (SELECT count(*)::int FROM audit_log WHERE route LIKE '%/send') AS audited`,
      );
      expect(row).toEqual({ delivered: count, audited: count });
    });

  /** PostgreSQL's processes report late, one that is idle after ten seconds; each connection of the pool has one. */
  const reportNow = (of = gateway) =>
    Promise.all(Array.from({ length: POOL }, () => of.sql('SELECT pg_stat_force_next_flush(), pg_sleep(0.1)')));
  /** Rows that were written so far. */
  const tablesNow = () =>
    gateway.sql<Table>(
      // A partitioned table's rows are counted with its partitions.
      `SELECT coalesce(inhparent::regclass::text, relname) AS name, sum(n_tup_ins)::int AS inserted, sum(n_tup_upd)::int AS updated,
         sum(n_tup_hot_upd)::int AS hot, sum(n_tup_del)::int AS deleted
       FROM pg_stat_user_tables LEFT JOIN pg_inherits ON inhrelid = relid
       WHERE schemaname = 'public' AND coalesce(inhparent::regclass::text, relname) = ANY ($1) GROUP BY 1`,
      [TABLES],
    );
  const written = async () => {
    await eventually('the statistics have all messages', async () => {
      await reportNow();
      const [row] = await gateway.sql<{ stored: number }>('SELECT count(*)::int AS stored FROM messages');
      const messages = (await tablesNow()).find(({ name }) => name === 'messages')!;
      expect([messages.inserted, messages.updated]).toEqual([row!.stored, row!.stored * 2]);
    });
    return tablesNow();
  };
  /** Bytes of the log so far. */
  const logged = async () => {
    const [row] = await gateway.sql<{ bytes: number }>(`SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes`);
    return row!.bytes;
  };
  let sent = RECIPIENTS * 2 + SENDS;

  /** What PostgreSQL writes of each table for so many sends. */
  async function work(): Promise<Table[]> {
    const before = await written();
    await send(SENDS);
    await settled((sent += SENDS));
    return (await written()).map(({ name, inserted, updated, hot, deleted }) => {
      const earlier = before.find((table) => table.name === name)!;
      return {
        name,
        inserted: inserted - earlier.inserted,
        updated: updated - earlier.updated,
        hot: hot - earlier.hot,
        deleted: deleted - earlier.deleted,
      };
    });
  }

  /** Which part of the updates of a table wrote no index. */
  const hotPart = (tables: readonly Table[], name: string) => {
    const { updated, hot } = tables.find((table) => table.name === name)!;
    return hot / updated;
  };

  it('is at most 9 rows, and the updates write no index', async () => {
    const tables = await work();
    const rows = tables.reduce((sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted, 0);
    process.stdout.write(
      `  ${SENDS} sends, ${rows / SENDS} rows each: ${tables
        .map(({ name, inserted, updated, hot, deleted }) => `${name} +${inserted} ~${updated} (HOT ${hot}) -${deleted}`)
        .join(', ')}\n`,
    );
    expect(rows / SENDS).toBeLessThanOrEqual(9);
    // Between 0.90 and 0.96: how full a page is when its row changes is chance.
    expect(hotPart(tables, 'messages')).toBeGreaterThan(0.85);
    expect(hotPart(tables, 'conversations')).toBeGreaterThan(0.8);
  });

  // The goal is 3.5 kB; 3.6 is measured: the index of the audit log by route, which keeps its lists quick, costs some 150
  // bytes. A checkpoint in between writes whole pages.
  it('is at most 4.9 kB of WAL and 3 statements', async () => {
    const query = jest.spyOn(Client.prototype, 'query');
    const costOf = async (task: () => Promise<unknown>) => {
      query.mockClear();
      const startedAt = performance.now();
      const before = await logged();
      await task();
      return {
        bytes: (await logged()) - before,
        statements: query.mock.calls.length,
        ms: performance.now() - startedAt,
      };
    };
    // What the gateway does by the second is not the send's: a busy machine takes more seconds for the same sends.
    const idle = await costOf(() => sleep(IDLE_MS));
    const busy = await costOf(async () => {
      await send(SENDS);
      await settled((sent += SENDS));
    });
    query.mockRestore();
    const idlePart = busy.ms / idle.ms;
    const statements = (busy.statements - idle.statements * idlePart) / SENDS;
    const bytes = Math.round((busy.bytes - idle.bytes * idlePart) / SENDS);
    process.stdout.write(
      `  ${bytes} bytes of the log and ${statements.toFixed(2)} statements for each of ${SENDS} sends\n`,
    );
    // A tenth of it is the index of the words.
    expect(bytes).toBeLessThanOrEqual(4_900);
    expect(statements).toBeLessThanOrEqual(3);
  });

  it.each([
    ['messages', `(platform_message_id) WHERE direction = 'inbound'`],
    ['messages', `(created_at) WHERE status = 'pending'`],
    ['conversations', `(last_message_at) WHERE status = 'archived'`],
  ])('would increase with an index on %s %s', async (table, columns) => {
    await gateway.sql(`CREATE INDEX other ON ${table} ${columns}`);
    const part = hotPart(await work(), table);
    await gateway.sql('DROP INDEX other');
    process.stdout.write(`  an index on ${table} ${columns}: ${Math.round(part * 100)} % of its updates are HOT\n`);
    expect(part).toBeLessThan(0.6);
  });

  it('includes no sequential scan of conversations before the first ANALYZE', async () => {
    const fresh = await startTestGateway({ databaseUrl: await postgres.createDatabase() });
    const limits = { rate_limits: { messages_per_minute: 100_000 } };
    await fresh.api('PATCH', '/admin/settings', limits, { key: fresh.testKey });
    await fresh.sql('ALTER TABLE conversations SET (autovacuum_enabled = false)');
    const scans = async () => {
      await reportNow(fresh);
      const [table] = await fresh.sql<{ scans: number }>(
        `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'conversations'`,
      );
      return table!.scans;
    };
    await send(SENDS, fresh);
    const before = await scans();
    await send(SENDS, fresh);
    expect((await scans()) - before).toBeLessThan(SENDS / 10);
    await fresh.stop();
  });
});

const TEXT = 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.';
