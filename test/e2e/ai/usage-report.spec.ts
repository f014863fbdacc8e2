import { fromPublicId } from '#contracts';
import { useGateway } from '../../support/gateway';

interface Item {
  requests: number;
  tokens: number;
  cost_usd: number;
  [group: string]: unknown;
}

describe('GET /usage/ai', () => {
  const gateway = useGateway();
  const usage = async (query: string, key = gateway.liveKey) =>
    (await gateway.api<{ period: object; items: Item[] }>('GET', `/usage/ai?${query}`, undefined, { key })).body.data;
  let keyId: string;
  let conversationId: string;

  beforeAll(async () => {
    const at = (hour: string) => `2026-03-${hour}:00:00Z`;
    const create = { name: 'Shop', scopes: ['write:messages'] };
    keyId = (await gateway.api<{ id: string }>('POST', '/admin/api-keys', create)).body.data.id;
    for (const [hour, model, cost] of [
      ['10T23', 'claude-haiku-4-5', 1],
      ['11T10', 'claude-haiku-4-5', 2],
      ['12T10', 'claude-sonnet-5-5', 4],
    ] as const)
      await gateway.sql(
        `INSERT INTO ai_usage (environment, hour, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
         VALUES ('live', $1, $2, 2, 100, 10, 1, 2, $3)`,
        [at(hour), model, cost],
      );
    await gateway.sql(
      `INSERT INTO ai_key_usage (api_key_id, hour, model, requests, input_tokens, output_tokens, cost_usd)
       VALUES ($1, $2, 'claude-haiku-4-5', 1, 50, 5, 1.5)`,
      [fromPublicId('api_key', keyId), at('11T10')],
    );
  });

  const MARCH = 'start_date=2026-03-01&end_date=2026-03-31';
  const item = (more: object, requests: number, tokens: number, cost_usd: number) => ({
    ...more,
    requests,
    tokens,
    cost_usd,
  });

  it.each<[string, () => object[]]>([
    [
      'group_by=day',
      () => [
        item({ day: '2026-03-10' }, 2, 113, 1),
        item({ day: '2026-03-11' }, 2, 113, 2),
        item({ day: '2026-03-12' }, 2, 113, 4),
      ],
    ],
    [
      'group_by=day&time_zone=Europe/Berlin',
      () => [item({ day: '2026-03-11' }, 4, 226, 3), item({ day: '2026-03-12' }, 2, 113, 4)],
    ],
    [
      'group_by=model',
      () => [item({ model: 'claude-sonnet-5-5' }, 2, 113, 4), item({ model: 'claude-haiku-4-5' }, 4, 226, 3)],
    ],
    ['group_by=account', () => [item({ account: null }, 6, 339, 7)]],
    ['group_by=key', () => [item({ key: null }, 5, 284, 5.5), item({ key: keyId }, 1, 55, 1.5)]],
    ['group_by=conversation', () => []],
  ])('sums a period: %s', async (query, items) => {
    const report = await usage(`${MARCH}&${query}`);
    expect(report.items).toEqual(items());
    expect((await usage(`start_date=2025-01-01&end_date=2025-01-31&${query}`)).items).toEqual([]);
  });

  it('reads days in the time zone and exact timestamps, and covers 30 days by default', async () => {
    expect((await usage('start_date=2026-03-11&end_date=2026-03-11&time_zone=Europe/Berlin')).period).toEqual({
      start: '2026-03-10T23:00:00.000Z',
      end: '2026-03-11T23:00:00.000Z',
    });
    const exact = 'start_date=2026-03-11T10:00:00Z&end_date=2026-03-11T11:00:00Z';
    expect((await usage(exact)).items).toEqual([item({ day: '2026-03-11' }, 2, 113, 2)]);
    const { period, items } = await usage('start_date=2026-03-11T16:25:00%2B05:45&end_date=2026-03-11T10:45:00Z');
    expect(period).toEqual({ start: '2026-03-11T10:00:00.000Z', end: '2026-03-11T10:45:00.001Z' });
    expect(items).toEqual([item({ day: '2026-03-11' }, 2, 113, 2)]);
    expect((await usage('end_date=2026-03-31')).period).toEqual({
      start: '2026-03-02T00:00:00.000Z',
      end: '2026-04-01T00:00:00.000Z',
    });
    expect((await usage('')).items).toEqual([]);
  });

  it('bills a reply to its conversation and account, also after an erasure', async () => {
    const call = <Data>(method: string, path: string, body?: unknown) =>
      gateway.api<Data>(method, path, body, { key: gateway.testKey });
    const played = await call<{ conversation_id: string }>('POST', '/sandbox/inbound', {
      platform: 'telegram',
      sender: { id: '4711' },
      content: 'Hello',
    });
    conversationId = played.body.data.conversation_id;
    const items = async () => (await usage('group_by=conversation', gateway.testKey)).items;
    while ((await items()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await call('DELETE', `/conversations/${conversationId}`);
    expect(await items()).toMatchObject([{ conversation: conversationId, requests: 1, cost_usd: 0 }]);
    const { id: account } = await gateway.integration<{ id: string }>('telegram', gateway.testKey);
    expect((await usage('group_by=account', gateway.testKey)).items).toMatchObject([{ account, requests: 1 }]);
  });

  it.each([
    ['time_zone=Mars/Olympus', 'time_zone'],
    ['time_zone=%2B02:00', 'time_zone'],
    ['group_by=week', 'group_by'],
    ['start_date=2026-03-02&end_date=2026-03-01', 'end_date'],
  ])('refuses %s', async (query, parameter) => {
    const { status, body } = await gateway.api('GET', `/usage/ai?${query}`);
    expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_PARAMETER', details: { parameter } } }]);
  });

  it.each([
    ['key', 'admin:settings'],
    ['conversation', 'read:conversations'],
  ])('by %s also needs the scope %s', async (group, scope) => {
    const key = await gateway.createKey({ scopes: ['read:status'] });
    const { status, body } = await gateway.api('GET', `/usage/ai?group_by=${group}`, undefined, { key });
    expect([status, body]).toMatchObject([403, { error: { details: { required_scope: scope } } }]);
    expect((await gateway.api('GET', '/usage/ai', undefined, { key })).status).toBe(200);
  });
});
