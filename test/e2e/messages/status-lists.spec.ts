import { MESSAGE_STATUSES, toPublicId } from '#contracts';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const MESSAGES = 600;
/** Message `i` is `i` minutes old; every fifth one is inbound, and so received. */
const STATUS = `(ARRAY['received', 'pending', 'sent', 'delivered', 'failed'])[1 + i % 5]`;

describe('GET /messages?status=', () => {
  const gateway = useGateway();
  let conversation: string;

  beforeAll(async () => {
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
       SELECT md5(i::text)::uuid, 'live', 'telegram', i::text, 'active', 0, now(), now() FROM generate_series(0, 2) i`,
    );
    await gateway.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, status, content, created_at)
       SELECT md5('m' || i)::uuid, 'live', md5((i % 3)::text)::uuid, i, (ARRAY['telegram', 'discord'])[1 + i % 2],
         CASE i % 5 WHEN 0 THEN 'inbound' ELSE 'outbound' END, 'new', '', now() - i * interval '1 minute'
       FROM generate_series(1, ${MESSAGES}) i`,
    );
    // Most fail later than they are stored, some at once.
    await gateway.sql(
      `UPDATE messages SET status = ${STATUS} FROM generate_series(1, ${MESSAGES}) i WHERE id = md5('m' || i)::uuid`,
    );
    await gateway.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, status, content, created_at)
       SELECT md5('now')::uuid, 'live', md5('0')::uuid, 0, 'telegram', 'outbound', 'failed', '', now()`,
    );
    const [row] = await gateway.sql<{ id: string }>(`SELECT md5('1')::uuid AS id`);
    conversation = toPublicId('conversation', row!.id);
  });

  /** Every page of a list, and its total. */
  const listed = async (query: string) => {
    const ids: string[] = [];
    for (let page = 1; ; page += 1) {
      const path = `/messages?per_page=50&page=${page}&${query}`;
      const { body } = await gateway.api<{ id: string }[]>('GET', path);
      ids.push(...body.data.map(({ id }) => id));
      if (page >= body.meta.pagination.total_pages) return { ids, total: body.meta.pagination.total };
    }
  };
  const naive = async (where: string, order = 'created_at DESC, id DESC') => {
    const rows = await gateway.sql<{ id: string }>(
      `SELECT id FROM messages WHERE environment = 'live' AND ${where} ORDER BY ${order}`,
    );
    return { ids: rows.map(({ id }) => toPublicId('message', id)), total: rows.length };
  };

  describe.each(MESSAGE_STATUSES)('%s', (status) => {
    it.each([
      ['', 'true'],
      ['&platform=discord', `platform = 'discord'`],
      ['&direction=outbound', `direction = 'outbound'`],
      ['&direction=inbound', `direction = 'inbound'`],
      [() => `&conversation_id=${conversation}`, `conversation_id = md5('1')::uuid`],
    ])('has the same messages as the table, with%s', async (more, where) => {
      const query = `status=${status}${typeof more === 'string' ? more : more()}`;
      expect(await listed(query)).toEqual(await naive(`status = '${status}' AND ${where}`));
    });

    it('has them in another order, and those of a range', async () => {
      expect(await listed(`status=${status}&sort=platform,created_at`)).toEqual(
        await naive(`status = '${status}'`, 'platform, created_at, id'),
      );
      const [{ from, until }] = (await gateway.sql<{ from: Date; until: Date }>(
        `SELECT now() - interval '5 hours' AS from, now() - interval '1 hour' AS until`,
      )) as [{ from: Date; until: Date }];
      const within = `created_at >= '${from.toISOString()}' AND created_at <= '${until.toISOString()}'`;
      const query = `status=${status}&start_date=${from.toISOString()}&end_date=${until.toISOString()}`;
      expect(await listed(query)).toEqual(await naive(`status = '${status}' AND ${within}`));
    });
  });

  it('all: has every message; an unknown status is refused', async () => {
    expect((await listed('status=all')).total).toBe(MESSAGES + 1);
    const { status, body } = await gateway.api('GET', '/messages?status=lost');
    expect([status, body.error.details?.['parameter']]).toEqual([400, 'status']);
  });

  it('requires a range if more than a million messages must be read, except for failed ones', async () => {
    // As if there were many old ones: the position of a message says how many came before it.
    const old = `now() - interval '1 day'`;
    await gateway.sql('DELETE FROM message_ranks');
    for (const direction of ['*', 'inbound', 'outbound'])
      await gateway.sql(
        `INSERT INTO message_ranks (environment, platform, direction, at, rank) VALUES ('live', '*', $1, ${old}, 1000001)`,
        [direction],
      );
    const list = (query: string) => gateway.api('GET', `/messages?${query}`);
    for (const status of ['pending', 'sent', 'delivered', 'scheduled', 'cancelled'])
      expect(await list(`status=${status}`)).toMatchObject(
        expectedError('INVALID_PARAMETER', {
          parameter: 'start_date',
          reason: expect.stringContaining('1000000') as string,
        }),
      );
    expect((await list('status=failed')).body.meta.pagination.total).toBe(MESSAGES / 5 + 1);
    expect((await list('status=received')).status).toBe(200);
    expect((await list(`status=sent&start_date=${new Date(Date.now() - 3_600_000).toISOString()}`)).status).toBe(200);
    expect((await list(`status=sent&conversation_id=${conversation}`)).status).toBe(200);
  });
});
