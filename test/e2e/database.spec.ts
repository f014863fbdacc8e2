import { DataSource } from 'typeorm';
import { newUuid } from '#contracts';
import { dataSourceOptions, openDatabase } from '../../src/core/database/data-source';
import { MIGRATIONS } from '../../src/core/database/migrations';
import { MessageRollup } from '../../src/messages/message-rollup';
import { eventually } from '../support/eventually';
import { expectedError } from '../support/expected';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { sharedPostgres } from '../support/postgres';
import { TcpProxy } from '../support/tcp-proxy';

const MESSAGE = { platform: 'telegram', recipient: '7', message: 'Hello' };
const QUIET = { info: () => undefined, warn: () => undefined };

describe('the migrations', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await openDatabase(await (await sharedPostgres()).createDatabase(), QUIET);
  });

  afterAll(() => dataSource.destroy());

  /** Everything that a migration may have made and forgotten to take back. */
  const objects = () =>
    dataSource.query<{ kind: string; name: string }[]>(
      `SELECT 'relation ' || relkind::text AS kind, relname AS name FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'migrations%'
           AND oid NOT IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'migrations'::regclass)
       UNION ALL SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
       UNION ALL SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       ORDER BY 1, 2`,
    );
  const drift = async () => (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

  it('make the schema that the entities describe', async () => {
    expect(await drift()).toEqual([]);
  });

  it('go down to nothing, and up again to the same', async () => {
    const before = await objects();
    expect(before.length).toBeGreaterThan(10);
    for (const _ of MIGRATIONS) await dataSource.undoLastMigration();
    expect(await objects()).toEqual([]);
    await dataSource.runMigrations();
    expect(await objects()).toEqual(before);
    expect(await drift()).toEqual([]);
  });

  it('run once when instances start together', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(url, QUIET)));
    const [row] = await opened[0]!.query<{ count: number }[]>('SELECT count(*)::int AS count FROM migrations');
    expect(row).toEqual({ count: MIGRATIONS.length });
    await Promise.all(opened.map((instance) => instance.destroy()));
  });

  it('are waited for no longer than the patience with a database that is away', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/nothing';
    expect(dataSourceOptions(url)).toMatchObject({ url });
    await expect(openDatabase(url, QUIET, 0)).rejects.toThrow(/cannot be reached.*ECONNREFUSED/);
  });
});

describe('the totals of a list', () => {
  const HOUR = 3_600_000;
  const PLATFORMS = ['telegram', 'whatsapp', 'discord'] as const;
  const DIRECTIONS = ['inbound', 'outbound'] as const;
  let gateway: TestGateway;
  /** Repeats itself: a failure can be looked at again. */
  const random = mulberry32(20_260_101);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const somewhen = (now: number) => new Date(now - Math.floor(random() * 8 * HOUR));

  beforeAll(async () => {
    gateway = await startTestGateway();
    const now = Date.now();
    for (const platform of PLATFORMS) await insert(platform, 200, () => somewhen(now));
    // On the very edges of hours, where counting twice or not at all would show.
    const edge = Math.floor(now / HOUR) * HOUR - 2 * HOUR;
    await insert('telegram', 3, () => new Date(edge));
    await insert('telegram', 3, () => new Date(edge - 1));
    await gateway.app.get(MessageRollup).rollUp();
    await insert('telegram', 7, () => new Date());
  });

  async function insert(platform: string, count: number, at: () => Date): Promise<void> {
    const conversation = newUuid();
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
       VALUES ($1, 'live', $2, $3, 'active', $4, now(), now())`,
      [conversation, platform, conversation, count],
    );
    const rows = Array.from({ length: count }, (_, index) => ({
      id: newUuid(),
      seq: index + 1,
      direction: pick(DIRECTIONS),
      created_at: at(),
    }));
    await gateway.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, kind, content, status, created_at)
       SELECT r.id, 'live', $1, r.seq, $2, r.direction, 'text', 'x', 'sent', r.created_at
       FROM json_to_recordset($3::json) AS r(id uuid, seq integer, direction text, created_at timestamptz)`,
      [conversation, platform, JSON.stringify(rows)],
    );
  }

  it('come from the roll-up', async () => {
    const [row] = await gateway.sql<{ rolled_up: number }>('SELECT sum(count)::int AS rolled_up FROM message_counts');
    expect(row!.rolled_up).toBeGreaterThan(500);
  });

  it('are those of counting, for any filter', async () => {
    const now = Date.now();
    const counts: number[] = [];
    for (let round = 0; round < 150; round++) {
      const times = [somewhen(now), somewhen(now)].toSorted((a, b) => a.getTime() - b.getTime());
      if (random() < 0.3) times[0]!.setUTCMinutes(0, 0, 0);
      if (random() < 0.3) times[1]!.setUTCMinutes(59, 59, 999);
      const filter = {
        ...(random() < 0.5 && { platform: pick(PLATFORMS) }),
        ...(random() < 0.5 && { direction: pick(DIRECTIONS) }),
        ...(random() < 0.6 && { start_date: times[0]!.toISOString() }),
        ...(random() < 0.6 && { end_date: times[1]!.toISOString() }),
      };
      const { body } = await gateway.api('GET', `/messages?per_page=1&${new URLSearchParams(filter).toString()}`);
      const [naive] = await gateway.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM messages WHERE environment = 'live'
           AND ($1::text IS NULL OR platform = $1) AND ($2::text IS NULL OR direction = $2)
           AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at <= $4)`,
        [filter.platform ?? null, filter.direction ?? null, filter.start_date ?? null, filter.end_date ?? null],
      );
      expect({ filter, total: body.meta.pagination.total }).toEqual({ filter, total: naive!.count });
      counts.push(naive!.count);
    }
    expect(new Set(counts).size).toBeGreaterThan(20);
  });
});

describe('without the database', () => {
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
    await eventually('it is ready again', async () => {
      expect((await gateway.api('GET', '/health/ready')).status).toBe(200);
    });
  };

  it('requests that are under way when it breaks are answered, and the process goes on', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 ? send() : gateway.api('GET', '/messages')));
    await calls[0];
    await proxy.cut();
    for (const { status } of await Promise.all(calls)) expect([200, 500]).toContain(status);
    await recovers();
    expect((await send()).status).toBe(200);
  });

  it('a database that hangs makes the process not ready within three seconds', async () => {
    proxy.freeze();
    const startedAt = performance.now();
    expect((await gateway.api('GET', '/health/ready')).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect((await gateway.api('GET', '/health/live')).status).toBe(200);
    await proxy.cut();
    await recovers();
  });

  it('the API answers 500 at once and the process says it is not ready; both recover', async () => {
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

/** A small seeded generator: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
