import { newUuid, type Platform } from '#contracts';
import { Retention } from '../../../src/core/events/retention.service';
import type { AuditEntryDto } from '../../../src/admin/audit/list/audit.dto';
import type { StatisticsDto } from '../../../src/admin/statistics/statistics.dto';
import { CHECKPOINT_DISTANCE } from '../../../src/messages/counts/position-checkpoints.rows';
import { PositionCheckpoints } from '../../../src/messages/counts/position-checkpoints.service';
import { eventually } from '../../support/eventually';
import { aTimestamp, anId, expectedError, expectedPage, expectedSuccess } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const HOUR_MS = 3_600_000;

async function insertMessages(gateway: TestGateway, platform: Platform, at: Date, count: number): Promise<void> {
  const conversation = newUuid(at.getTime());
  await gateway.sql(
    `INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
     VALUES ($1::uuid, 'live', $2, $1::uuid::text, $3, $4, $4)`,
    [conversation, platform, count, at],
  );
  await gateway.sql(
    `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
     SELECT gen_random_uuid(), 'live', $1, n, $2, 'inbound', 'x', 'received', $4 FROM generate_series(1, $3) n`,
    [conversation, platform, count, at],
  );
}

describe('Statistics', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });

  const read = async (query = '', key?: string) =>
    (await gateway.api<StatisticsDto>('GET', `/admin/stats${query}`, undefined, { key })).body.data;

  it('are zero at first, with every bucket', async () => {
    const answer = await gateway.api<StatisticsDto>('GET', '/admin/stats');
    expect(answer).toMatchObject({
      status: 200,
      body: expectedSuccess({
        period: { start: aTimestamp(), end: aTimestamp() },
        totals: { messages: 0, conversations: 0, tokens: 0, cost_usd: 0 },
        by_platform: { whatsapp: 0, telegram: 0, discord: 0 },
        timeline: Array.from({ length: 7 }, () => ({
          date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
          messages: 0,
        })),
      }),
    });
  });

  it('are exact, with and without position checkpoints, and independent of group_by', async () => {
    const now = Date.now();
    const today = new Date(now).toISOString().slice(0, 10);
    const midnight = Date.parse(today);
    await insertMessages(gateway, 'telegram', new Date(midnight - 2 * 24 * HOUR_MS), 3);
    await insertMessages(gateway, 'whatsapp', new Date(midnight - 2 * 24 * HOUR_MS - 1), 5);
    await insertMessages(gateway, 'discord', new Date(midnight - 40 * 24 * HOUR_MS), 2 * CHECKPOINT_DISTANCE);
    await insertMessages(gateway, 'discord', new Date(midnight - 40 * 24 * HOUR_MS + 1), CHECKPOINT_DISTANCE);
    const stored = 10 + 3 * CHECKPOINT_DISTANCE;
    await insertMessages(gateway, 'telegram', new Date(now), 2);
    await gateway.sql(
      `INSERT INTO ai_usage VALUES ('live', date_trunc('hour', now(), 'UTC'), 'm', 1, 10, 20, 3, 4, 0.5),
       ('live', date_trunc('hour', now() - interval '40 days', 'UTC'), 'm', 1, 100, 200, 0, 0, 1.25)`,
    );
    // The periodic job may have passed these hours before the rows were there.
    await gateway.sql('DELETE FROM message_ranks');
    const before = await read('?period=90d');
    await gateway.gateway.app.get(PositionCheckpoints).rank();
    expect((await gateway.sql('SELECT FROM message_ranks WHERE rank > 0')).length).toBeGreaterThan(0);
    const after = await read('?period=90d');
    expect(after).toEqual({ ...before, period: { ...after.period, end: aTimestamp() } });
    expect(after).toMatchObject({
      totals: { messages: stored, conversations: 5, tokens: 337, cost_usd: 1.75 },
      by_platform: { whatsapp: 5, telegram: 5, discord: 3 * CHECKPOINT_DISTANCE },
    });
    expect(after.timeline).toHaveLength(90);

    const week = await read('?period=7d&group_by=day');
    expect(week.timeline.map(({ messages }) => messages)).toEqual([0, 0, 0, 5, 3, 0, 2]);
    expect(week.timeline[6]).toEqual({ date: today, messages: 2 });
    expect(week.totals).toEqual({ messages: 10, conversations: 3, tokens: 37, cost_usd: 0.5 });

    const withUsage = await read('?period=90d&group_by=week&expand=usage');
    const used = withUsage.timeline.filter(({ tokens }) => tokens !== 0);
    expect(used.map(({ tokens, cost_usd }) => [tokens, cost_usd])).toEqual([
      [300, 1.25],
      [37, 0.5],
    ]);
    expect(withUsage.totals).toEqual(after.totals);

    const hours = await read('?period=1d&group_by=hour');
    expect(hours.timeline).toHaveLength(24);
    expect(hours.timeline[23]).toEqual({ date: today, hour: new Date(now).getUTCHours(), messages: 2 });

    for (const period of ['1d', '7d', '30d', '90d']) {
      const grouped = await Promise.all(
        ['hour', 'day', 'week'].map((grouping) => read(`?period=${period}&group_by=${grouping}`)),
      );
      for (const { period: span, totals, timeline } of grouped) {
        expect({ ...span, end: '' }).toEqual({ ...grouped[0]!.period, end: '' });
        expect(totals).toEqual(grouped[0]!.totals);
        expect(timeline.reduce((sum, { messages }) => sum + messages, 0)).toBe(totals.messages);
      }
    }

    const weeks = await read('?period=90d&group_by=week');
    expect(weeks.timeline.reduce((sum, bucket) => sum + bucket.messages, 0)).toBe(stored);
    expect(weeks.timeline.map(({ date }) => new Date(date).getUTCDay())).toEqual(weeks.timeline.map(() => 1));
  });

  it('show test keys the sandbox only', async () => {
    expect((await read('?period=90d', gateway.testKey)).totals.messages).toBe(0);
  });

  it.each(['period=2d', 'period=', 'group_by=month', 'expand=all', 'from=2026-01-01'])('refuses %s', async (query) => {
    const answer = await gateway.api('GET', `/admin/stats?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER' } } });
  });
});

describe('Audit log', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });

  const list = async (query: string, key?: string) =>
    (await gateway.api<AuditEntryDto[]>('GET', `/admin/audit-log?${query}`, undefined, { key })).body;

  it('has every request, including refused ones', async () => {
    const refused = await gateway.api('GET', '/messages', undefined, { key: null });
    const ok = await gateway.api('GET', '/messages?page=1');
    const entries = await eventually('both requests are logged', async () => {
      const page = await list('path=/api/v1/messages&sort=created_at');
      expect(page.data).toHaveLength(2);
      return page;
    });
    const common = {
      id: anId('audit_entry'),
      timestamp: aTimestamp(),
      method: 'GET',
      path: '/api/v1/messages',
      route: '/api/v1/messages',
      client_ip: '127.0.0.1',
      duration_ms: expect.any(Number) as number,
      count: 1,
      last_at: aTimestamp(),
    };
    expect(entries).toEqual(
      expectedPage(
        [
          {
            ...common,
            status: 401,
            key_id: null,
            key_name: null,
            masked_key: null,
            request_id: refused.headers['x-request-id'],
          },
          {
            ...common,
            status: 200,
            key_id: anId('api_key'),
            key_name: 'Test key',
            masked_key: `service_sk_live_…${gateway.liveKey.slice(-4)}`,
            request_id: ok.body.meta.request_id,
          },
        ],
        { total: 2 },
      ),
    );
  });

  it('filters by key, status, route and time', async () => {
    const created = await gateway.api<{ id: string; key: string }>('POST', '/admin/api-keys', {
      name: 'x',
      scopes: ['read:messages'],
    });
    const { id, key } = created.body.data;
    const unknown = 'msg_01h455vb4pex5vsknk084sn02q';
    await gateway.api('GET', `/messages/${unknown}`, undefined, { key });
    await gateway.api('GET', '/status', undefined, { key });
    await eventually('both are logged', async () => expect((await list(`key_id=${id}`)).data).toHaveLength(2));
    expect((await list(`key_id=${id}&status=404`)).data).toMatchObject([{ path: `/api/v1/messages/${unknown}` }]);
    expect((await list(`key_id=${id}&path=/api/v1/messages/:message_id`)).data).toHaveLength(1);
    const [named] = (await list(`key_id=${id}&method=GET&path=/api/v1/messages/{any}`)).data;
    expect(named).toMatchObject({ key_id: id, key_name: 'x' });
    expect((await list(`request_id=${named!.request_id}`)).data).toEqual([named]);
    expect((await list(`key_id=${id}&method=POST`)).data).toEqual([]);
    expect((await list(`key_id=${id}&sort=timestamp`)).data.map(({ status }) => status)).toEqual([404, 403]);
    expect((await list(`key_id=${id}&end_date=2020-01-01`)).meta.pagination.total).toBe(0);
    expect((await list('key_id=key_nobody')).meta.pagination.total).toBe(0);
    expect((await list(`key_id=${id}`, gateway.testKey)).meta.pagination.total).toBe(0);
  });

  it.each([
    'status=99',
    'method=FETCH',
    'method=GET,',
    'request_id=',
    'sort=masked_key',
    'sort=status',
    'sort=-path',
    'key=1',
    'per_page=0',
  ])('refuses %s', async (query) => {
    expect((await list(query)).error).toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  it('deletes entries after the days of the setting', async () => {
    await gateway.api('PATCH', '/admin/settings', { retention: { audit_days: 10 } });
    await gateway.sql(
      `INSERT INTO audit_log (id, environment, method, path, client_ip, status, request_id, duration_ms, created_at)
       SELECT gen_random_uuid(), environment, 'GET', '/api/old', '::1', 200, gen_random_uuid(), 1, now() - make_interval(days => days)
       FROM unnest(ARRAY['live', 'test', NULL]::environment[]) environment, unnest(ARRAY[9, 11, 91]) days`,
    );
    await gateway.gateway.app.get(Retention).deleteOld();
    const left = await gateway.sql<{ days: number; environment: string | null }>(
      `SELECT environment, extract(day FROM now() - created_at)::int AS days FROM audit_log WHERE path = '/api/old'
       ORDER BY environment, days`,
    );
    expect(left).toEqual([
      { environment: 'live', days: 9 },
      { environment: 'test', days: 9 },
      { environment: 'test', days: 11 },
      { environment: null, days: 9 },
    ]);
  });

  it('needs admin:settings', async () => {
    const key = await gateway.createKey({ scopes: ['admin:users'] });
    const answer = await gateway.api('GET', '/admin/audit-log', undefined, { key });
    expect(answer).toMatchObject(
      expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: 'admin:settings', key_scopes: ['admin:users'] }),
    );
  });
});
