import { CONVERSATION_STATUSES, PLATFORMS, toPublicId, type ConversationStatus, type Platform } from '#contracts';
import { ConversationsService } from '../../../src/conversations/conversations.service';
import type { ConversationListQuery } from '../../../src/conversations/dto/conversation-query.dto';
import { useGateway } from '../../support/gateway';
import { orderOf } from '../../support/order-of';
import { fractionOf, mulberry32 } from '../../support/random';

const HOUR = 3_600_000;
const CONVERSATIONS = 1_500;
const SORTS = ['-last_message_at', 'last_message_at', 'created_at', '-created_at', 'message_count,-created_at'];

describe('the list of conversations', () => {
  const gateway = useGateway();
  let conversations: ConversationsService;
  /** Repeats itself: a failure can be looked at again. */
  const random = mulberry32(20_260_103);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const now = Date.now();
  const randomTime = () => new Date(now - Math.floor(random() * 30 * HOUR));

  beforeAll(async () => {
    conversations = gateway.app.get(ConversationsService);
    await insert(CONVERSATIONS, 'a');
    await insert(100, 'b');
    await archive(0.2);
    await gateway.sql(`DELETE FROM conversations WHERE participant_id LIKE 'b%7'`);
  });

  async function insert(count: number, prefix: string): Promise<void> {
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
       SELECT md5($2 || i)::uuid, 'live', (ARRAY['telegram', 'telegram', 'telegram', 'whatsapp', 'discord'])[1 + i % 5], $2 || i,
         CASE WHEN i % 3 = 0 THEN 'archived' ELSE 'active' END, i % 50,
         date_trunc(CASE WHEN i % 4 = 0 THEN 'hours' ELSE 'milliseconds' END, now() - ${fractionOf('$2 || i')} * interval '29 hours'),
         now() - (i % 400) * interval '1 second'
       FROM generate_series(1, $1::int) i ON CONFLICT (environment, platform, participant_id) DO UPDATE SET message_count = 0`,
      [count, prefix],
    );
  }

  let draws = 0;
  /** Others each time. */
  const some = (share: number) => `${fractionOf(`participant_id || '-${(draws += 1)}'`)} < ${share}`;
  const archive = (share: number) =>
    gateway.sql(`UPDATE conversations SET status = 'archived' WHERE status = 'active' AND ${some(share)}`);
  const reactivate = (share: number) =>
    gateway.sql(`UPDATE conversations SET status = 'active' WHERE status = 'archived' AND ${some(share)}`);

  function where({ platform, status, start_date, end_date }: ConversationListQuery): {
    sql: string;
    values: unknown[];
  } {
    return {
      sql: `environment = 'live' AND ($1::text IS NULL OR platform = $1) AND ($2::text IS NULL OR status = $2)
        AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at <= $4)`,
      values: [platform ?? null, status ?? null, start_date ?? null, end_date ?? null],
    };
  }

  function someQuery(): ConversationListQuery & { sort: string } {
    const times = [randomTime(), randomTime()].toSorted((a, b) => a.getTime() - b.getTime());
    if (random() < 0.3) times[0]!.setUTCMinutes(0, 0, 0);
    if (random() < 0.3) times[1]!.setUTCMinutes(59, 59, 999);
    const perPage = pick([1, 20, 100]);
    const pages = Math.ceil(CONVERSATIONS / perPage);
    return {
      per_page: perPage,
      page: pick([1, 2, Math.ceil(random() * pages), Math.ceil((random() * pages) / 4), pages + 9]),
      sort: pick(SORTS),
      ...(random() < 0.4 && { platform: pick<Platform>(PLATFORMS) }),
      ...(random() < 0.5 && { status: pick<ConversationStatus>(CONVERSATION_STATUSES) }),
      ...(random() < 0.4 && { start_date: times[0]!.toISOString() }),
      ...(random() < 0.4 && { end_date: times[1]!.toISOString() }),
    };
  }

  it('equals a naive list, on any page of any filter, in any order', async () => {
    const totals = new Set<number>();
    for (let round = 0; round < 200; round++) {
      const query = someQuery();
      const { sql, values } = where(query);
      const [row] = await gateway.sql<{ total: number; ids: string[] | null }>(
        `SELECT (SELECT count(*)::int FROM conversations WHERE ${sql}) AS total, (SELECT array_agg(id) FROM (
           SELECT id FROM conversations WHERE ${sql} ORDER BY ${orderOf(query.sort)}
           LIMIT ${query.per_page} OFFSET ${(query.page - 1) * query.per_page}
         ) page) AS ids`,
        values,
      );
      const { items, pagination } = await conversations.list({ environment: 'live', scopes: ['*'] }, query);
      expect({ query, total: pagination.total, ids: items.map(({ id }) => id) }).toEqual({
        query,
        total: row!.total,
        ids: (row!.ids ?? []).map((id) => toPublicId('conversation', id)),
      });
      totals.add(row!.total);
    }
    expect(totals.size).toBeGreaterThan(20);
  });

  it('has the exact total while conversations are created, archived and reactivated', async () => {
    const enough = new AbortController();
    const repeat = async (work: () => Promise<unknown>) => {
      while (!enough.signal.aborted) await work();
    };
    let opened = 0;
    const changes = [
      repeat(() => insert(5, `c${(opened += 1)}-`)),
      repeat(() => archive(0.01)),
      repeat(() => reactivate(0.01)),
    ];
    try {
      for (let round = 0; round < 100; round++) {
        const perPage = 100;
        const query = { per_page: perPage, page: 1 + Math.floor(random() * 20), status: pick(CONVERSATION_STATUSES) };
        const { items, pagination } = await conversations.list({ environment: 'live', scopes: ['*'] }, query);
        // One snapshot: the last page is as full as the total says.
        expect(items).toHaveLength(Math.max(0, Math.min(perPage, pagination.total - (query.page - 1) * perPage)));
      }
    } finally {
      enough.abort();
      await Promise.all(changes);
    }
    for (const query of [{}, ...CONVERSATION_STATUSES.map((status) => ({ status }))]) {
      const { sql, values } = where({ page: 1, per_page: 1, ...query });
      const [row] = await gateway.sql<{ total: number }>(
        `SELECT count(*)::int AS total FROM conversations WHERE ${sql}`,
        values,
      );
      const { pagination } = await conversations.list(
        { environment: 'live', scopes: ['*'] },
        { page: 1, per_page: 1, ...query },
      );
      expect(pagination.total).toBe(row!.total);
    }
  });
});
