import { DIRECTIONS, PLATFORMS, toPublicId, type Direction, type Platform } from '#contracts';
import type { StatisticsDto } from '../../../src/admin/statistics/statistics.dto';
import { Clock } from '../../../src/core/clock/clock.service';
import { idleTimers } from '../../../src/core/work/timers/timers.fixture';
import { Database } from '../../../src/core/database/database.service';
import type { MessageListQuery } from '../../../src/messages/dto/message-query.dto';
import { messageList } from '../../../src/messages/list/message-list.rows';
import { CHECKPOINT_DISTANCE } from '../../../src/messages/counts/position-checkpoints.rows';
import { PositionCheckpoints } from '../../../src/messages/counts/position-checkpoints.service';
import { MessageReader } from '../../../src/messages/list/message-reader.service';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { orderOf } from '../../support/order-of';
import { fractionOf, mulberry32 } from '../../support/random';
import { withClient } from '../../support/with-client';

const HOUR = 3_600_000;
const MESSAGES = 9_000;
const CONVERSATIONS = 12;
const SORTS = ['created_at', '-created_at'];
const OTHER_SORTS = ['platform', '-direction,created_at', 'conversation_id,-created_at', '-created_at,platform'];

/** The naive list: what every answer has to equal. */
interface Naive {
  total: number;
  ids: string[];
}

describe('the list of messages', () => {
  let gateway: TestGateway;
  let reader: MessageReader;
  let conversations: string[];
  /** Repeats itself: a failure can be looked at again. */
  const random = mulberry32(20_260_102);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const now = Date.now();
  const randomTime = () => new Date(now - Math.floor(random() * 6 * HOUR));

  beforeAll(async () => {
    gateway = await startTestGateway();
    reader = gateway.app.get(MessageReader);
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
       SELECT md5(i::text)::uuid, 'live', (ARRAY['telegram', 'telegram', 'whatsapp', 'discord'])[1 + i % 4], i::text, 'active', 0, now(), now()
       FROM generate_series(1, ${CONVERSATIONS}) i`,
    );
    conversations = (await gateway.sql<{ id: string }>('SELECT id FROM conversations')).map(({ id }) => id);
    // A sixth of them in one single moment, a third in moments that a few share, the rest anywhere in six hours.
    await insert(
      MESSAGES,
      `now() - interval '2 minutes' - CASE i % 6
      WHEN 0 THEN interval '3 hours' WHEN 1 THEN (i % 700) * interval '17 seconds' WHEN 2 THEN (i % 700) * interval '17 seconds'
      ELSE ${fractionOf('i::text')} * interval '6 hours' END`,
    );
    await ranked();
    // What has no rank yet: arrived since, some of it stamped a moment before.
    await insert(400, `now() - (i % 50) * interval '1 second'`);
  });

  let batches = 0;
  /** @param at SQL of the moment of message `i` */
  async function insert(count: number, at: string): Promise<void> {
    await gateway.sql(
      `WITH numbered AS (SELECT id, platform, row_number() OVER (ORDER BY id) - 1 AS n FROM conversations),
       message AS (
         INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, kind, content, status, created_at)
         SELECT md5($2 || '-' || i)::uuid, 'live', c.id, i, c.platform, CASE WHEN i % 5 = 0 THEN 'inbound' ELSE 'outbound' END, 'text', 'x', 'sent',
           date_trunc('milliseconds', ${at})
         FROM generate_series(1, $1::int) i JOIN numbered c ON c.n = (i * 7 + i / 11) % ${CONVERSATIONS}
         RETURNING conversation_id
       )
       UPDATE conversations c SET message_count = message_count + added.count
       FROM (SELECT conversation_id, count(*) FROM message GROUP BY 1) added WHERE added.conversation_id = c.id`,
      [count, String((batches += 1))],
    );
  }

  const ranked = () => Promise.all([gateway.app.get(PositionCheckpoints).rank(), anotherInstance().rank()]);
  const anotherInstance = () => new PositionCheckpoints(gateway.app.get(Database), idleTimers());

  async function naive(query: MessageListQuery, order: string): Promise<Naive> {
    const {
      platform = null,
      direction = null,
      start_date = null,
      end_date = null,
      conversation_id: conversation,
    } = query;
    const conversationId = conversations.find((id) => toPublicId('conversation', id) === conversation) ?? null;
    const where = `environment = 'live' AND ($1::text IS NULL OR platform = $1) AND ($2::text IS NULL OR direction = $2)
      AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at <= $4)
      AND ($5::uuid IS NULL OR conversation_id = $5)`;
    const values = [platform, direction, start_date, end_date, conversationId];
    const [row] = await gateway.sql<{ total: number; ids: string[] | null }>(
      `SELECT (SELECT count(*)::int FROM messages WHERE ${where}) AS total, (SELECT array_agg(id) FROM (
         SELECT id FROM messages WHERE ${where} ORDER BY ${order} LIMIT ${query.per_page} OFFSET ${(query.page - 1) * query.per_page}
       ) page) AS ids`,
      values,
    );
    return { total: row!.total, ids: (row!.ids ?? []).map((id) => toPublicId('message', id)) };
  }

  async function shown(query: MessageListQuery): Promise<Naive> {
    const { items, pagination } = await reader.list('live', query);
    return { total: pagination.total, ids: items.map(({ id }) => id) };
  }

  function someQuery(): MessageListQuery {
    const times = [randomTime(), randomTime()].toSorted((a, b) => a.getTime() - b.getTime());
    if (random() < 0.2) times[0]!.setUTCMinutes(0, 0, 0);
    const perPage = pick([1, 7, 20, 100]);
    const pages = Math.ceil(MESSAGES / perPage);
    return {
      per_page: perPage,
      page: pick([1, 2, Math.ceil(random() * pages), Math.ceil((random() * pages) / 6), pages, pages + 50]),
      ...(random() < 0.4 && { platform: pick<Platform>(PLATFORMS) }),
      ...(random() < 0.4 && { direction: pick<Direction>(DIRECTIONS) }),
      ...(random() < 0.4 && { start_date: times[0]!.toISOString() }),
      ...(random() < 0.4 && { end_date: times[1]!.toISOString() }),
      ...(random() < 0.15 && { conversation_id: toPublicId('conversation', pick(conversations)) }),
    };
  }

  it('has position checkpoints, which count earlier messages', async () => {
    const wrong = await gateway.sql(
      `SELECT r.*, actual FROM message_ranks r, LATERAL (
         SELECT count(*) AS actual FROM messages m WHERE m.environment = r.environment AND m.created_at < r.at
           AND r.platform IN ('*', m.platform) AND r.direction IN ('*', m.direction)
       ) counted WHERE r.rank <> actual`,
    );
    expect(wrong).toEqual([]);
    // What is newer may have got ranks meanwhile.
    const settled = `now() - interval '110 seconds'`;
    const [found] = await gateway.sql(
      `SELECT (
         SELECT count(*)::int FROM message_ranks
         WHERE environment = 'live' AND platform = '*' AND direction = '*' AND at < ${settled}
       ) AS ranks, (
         SELECT count(DISTINCT created_at)::int FROM (
           SELECT created_at, row_number() OVER (ORDER BY created_at) AS place FROM messages WHERE environment = 'live'
         ) m WHERE place % ${CHECKPOINT_DISTANCE} = 0 AND created_at < ${settled}
       ) AS moments`,
    );
    // Of the 1,500 messages that share a moment, one place at most can be told.
    expect(found!['ranks']).toBe(found!['moments']);
    expect(found!['ranks']).toBeGreaterThan((MESSAGES - 1_500) / CHECKPOINT_DISTANCE - 1);
  });

  it('has the checkpoints of other partitions when one fails', async () => {
    const ranks = () =>
      gateway.sql(
        `SELECT * FROM message_ranks WHERE platform <> '*' OR direction <> '*' ORDER BY platform, direction, at`,
      );
    const before = await ranks();
    const database = gateway.app.get(Database);
    const isUnfiltered = (values: unknown[]) =>
      values.includes('live') && values.filter((value) => value === '*').length === 2;
    const failing = Object.assign(Object.create(database) as Database, {
      query: (...args: Parameters<Database['query']>) =>
        isUnfiltered(args[1]) ? Promise.reject(new Error('this stream fails')) : database.query(...args),
    });
    await gateway.sql('DELETE FROM message_ranks');
    const sut = new PositionCheckpoints(failing, idleTimers());
    await sut.rank();
    await sut.rank();
    expect(await ranks()).toEqual(before);
    await ranked();
  });

  it('equals a naive list, on any page of any filter, in both directions of time', async () => {
    let [deep, empty] = [0, 0];
    for (let round = 0; round < 250; round++) {
      const query = { ...someQuery(), sort: pick(SORTS) };
      const expected = await naive(query, orderOf(query.sort));
      expect({ query, ...(await shown(query)) }).toEqual({ query, ...expected });
      if (expected.ids.length > 0 && query.page * query.per_page > CHECKPOINT_DISTANCE) deep += 1;
      if (expected.ids.length === 0) empty += 1;
    }
    expect(deep).toBeGreaterThan(20);
    expect(empty).toBeGreaterThan(20);
  });

  it.each([{}, { from: new Date(now - HOUR) }, { platform: 'telegram' as const }, { direction: 'inbound' as const }])(
    'for %j starts no parallel workers, which would take longer',
    async (filter) => {
      const { statement, values } = messageList({
        filter: { environment: 'live', ...filter },
        sort: '-created_at',
        offset: 0,
        limit: 20,
        columns: 'id, created_at',
      });
      const plan = await withClient(gateway.databaseUrl, async (client) => {
        await client.query('ANALYZE messages');
        // As for a table of millions.
        await client.query(
          'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_index_scan_size = 0',
        );
        await client.query('SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2');
        return (await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement.text}`, values)).rows;
      });
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toContain('Gather');
    },
  );

  it('equals a naive list in any other order', async () => {
    for (let round = 0; round < 60; round++) {
      const query = { ...someQuery(), sort: pick(OTHER_SORTS) };
      expect({ query, ...(await shown(query)) }).toEqual({ query, ...(await naive(query, orderOf(query.sort))) });
    }
  });

  it('is a snapshot: page and total agree while messages arrive', async () => {
    const enough = new AbortController();
    const arrivals = (async () => {
      while (!enough.signal.aborted) {
        await insert(60, `now() - (i % 7) * interval '1 millisecond'`);
        await ranked();
      }
    })();
    try {
      for (let round = 0; round < 120; round++) {
        const perPage = pick([20, 100]);
        const query = {
          per_page: perPage,
          page: Math.ceil((MESSAGES + 400) / perPage) + pick([-1, 0, 1]),
          sort: pick(SORTS),
        };
        const { total, ids } = await shown(query);
        const before = (query.page - 1) * perPage;
        expect(ids).toHaveLength(Math.max(0, Math.min(perPage, total - before)));
        expect(new Set(ids).size).toBe(ids.length);
      }
    } finally {
      enough.abort();
      await arrivals;
    }
  });

  // Through a pooler there may be no names, and the connections of the server are not the pool's.
  (process.env['TEST_PGBOUNCER'] ? it.skip : it)(
    'is prepared under a name only where it is sorted by one field',
    async () => {
      const sorts = [...DIRECTIONS, ...PLATFORMS].flatMap((_, index) => {
        const [a, b] = [index % 2 ? '-' : '', index % 3 ? '-' : ''];
        return [`${a}conversation_id,${b}platform`, `${b}conversation_id,${a}platform,direction`];
      });
      for (const sort of ['-conversation_id', ...sorts]) await reader.list('live', { page: 1, per_page: 1, sort });
      // As many as the pool has connections, at once: each has statements of its own.
      const names = await Promise.all(
        Array.from({ length: 20 }, () =>
          gateway.sql<{ several: boolean }>(
            `SELECT DISTINCT statement ~ 'conversation_id (ASC|DESC), platform' AS several
           FROM pg_prepared_statements, pg_sleep(0.05) WHERE statement ~ 'ORDER BY conversation_id (ASC|DESC), (id|platform)'`,
          ),
        ),
      );
      expect(new Set(names.flat().map(({ several }) => several))).toEqual(new Set([false]));
    },
  );

  it('is correct through the API', async () => {
    const { body } = await gateway.api<{ id: string }[]>('GET', '/messages?page=50&per_page=100&direction=outbound');
    const query: MessageListQuery = { page: 50, per_page: 100, direction: 'outbound' };
    const expected = await naive(query, orderOf('-created_at'));
    expect(body.data.map(({ id }) => id)).toEqual(expected.ids);
    expect(body.meta.pagination).toEqual({
      page: 50,
      per_page: 100,
      total: expected.total,
      total_pages: Math.ceil(expected.total / 100),
    });
  });
});

describe('messages of an instance whose clock is slow', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
    const conversation = `INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
      VALUES (gen_random_uuid(), 'test', 'telegram', 'before', ${2 * CHECKPOINT_DISTANCE}, now(), now()) RETURNING id`;
    await gateway.sql(
      `WITH conversation AS (${conversation})
       INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
       SELECT gen_random_uuid(), 'test', id, i, 'telegram', 'inbound', 'x', 'received', now() - interval '2 minutes' - i * interval '1 millisecond'
       FROM conversation, generate_series(1, ${2 * CHECKPOINT_DISTANCE}) i`,
    );
    await counted();
  });

  const counted = () => gateway.app.get(PositionCheckpoints).rank();

  it('are in every total', async () => {
    const tenMinutes = 600_000;
    const clock = gateway.app.get(Clock);
    const key = { key: gateway.testKey };
    // A reply would be one more message, at a time of its own.
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } }, key);
    clock.adjust(-tenMinutes);
    const played = { platform: 'telegram', sender: { id: 'ada' }, content: 'Late' };
    expect((await gateway.api('POST', '/sandbox/inbound', played, key)).status).toBe(200);
    const sent = { platform: 'telegram', recipient: 'bob', message: 'Late as well' };
    expect((await gateway.api('POST', '/messages/send', sent, key)).status).toBe(200);
    clock.adjust(tenMinutes);

    const { body } = await gateway.api<{ content: string }[]>('GET', '/messages?per_page=2', undefined, key);
    expect(body.meta.pagination).toMatchObject({ total: 2 * CHECKPOINT_DISTANCE + 2 });
    expect(body.data.map(({ content }) => content).toSorted()).toEqual(['Late', 'Late as well']);
    const { data } = (await gateway.api<StatisticsDto>('GET', '/admin/stats', undefined, key)).body;
    expect(data.totals.messages).toBe(2 * CHECKPOINT_DISTANCE + 2);
    // A conversation is opened by its first message.
    const strays = `SELECT c.id FROM conversations c JOIN messages m ON m.conversation_id = c.id
      WHERE c.participant_id IN ('ada', 'bob') AND (m.created_at, m.created_at) <> (c.created_at, c.last_message_at)`;
    expect(await gateway.sql(strays)).toEqual([]);
  });
});
