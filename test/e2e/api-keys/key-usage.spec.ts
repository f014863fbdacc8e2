import type { CreatedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import type { KeyUsageDto } from '../../../src/api-keys/usage/key-usage.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { eventually } from '../../support/eventually';
import { aTimestamp, expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('GET /admin/api-keys/{key_id}/usage', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({ anthropic: await new AnthropicFake().start() });
  });

  const create = async (scopes: string[], environment = 'live') =>
    (await gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', { name: 'Shop', scopes, environment })).body.data;
  const usage = async (id: string, query = '') =>
    (await gateway.api<KeyUsageDto>('GET', `/admin/api-keys/${id}/usage${query}`)).body.data;

  it('counts requests and refusals, and shows the address of the last one', async () => {
    const { id, key } = await create(['read:status']);
    expect(await usage(id)).toMatchObject({ requests: 0, refusals: 0, last_address: null, last_used_at: null });
    for (const path of ['/status', '/messages', '/admin/settings', '/status'])
      await gateway.api('GET', path, undefined, { key });
    const day = { date: new Date().toISOString().slice(0, 10), requests: 4, refusals: 2, cost_usd: 0, by_model: [] };
    await eventually('all are counted', async () => {
      const { by_day: days, ...all } = await usage(id);
      expect(all).toEqual({
        key_id: id,
        period: { start: aTimestamp(), end: aTimestamp() },
        requests: 4,
        refusals: 2,
        last_address: '127.0.0.1',
        last_used_at: aTimestamp(),
        cost_usd: 0,
        by_model: [],
      });
      expect(days).toHaveLength(7);
      expect(days.at(-1)).toEqual(day);
    });
    expect((await usage(id, '?period=90d')).by_day).toHaveLength(90);
    expect(await usage(id, '?period=1d')).toMatchObject({ requests: 4 });
  });

  it('shows the AI cost by day and model, excluding what no key requested', async () => {
    const { id, key } = await create(['write:messages']);
    const ask = (model: string) =>
      gateway.api('POST', '/ai/generate', { message: 'Hello', options: { model } }, { key });
    for (const model of ['claude-haiku-4-5', 'claude-haiku-4-5', 'claude-opus-4-8'])
      expect(await ask(model)).toMatchObject({ status: 200 });
    const { cost_usd: cost, by_model: models, by_day: days } = await usage(id);
    expect(models.map(({ model, requests }) => ({ model, requests }))).toEqual([
      { model: 'claude-opus-4-8', requests: 1 },
      { model: 'claude-haiku-4-5', requests: 2 },
    ]);
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeCloseTo(
      models.reduce((sum, each) => sum + each.cost_usd, 0),
      8,
    );
    expect(days.at(-1)).toMatchObject({ cost_usd: cost, by_model: models });
    const [bill] = await gateway.sql<{ cost: number }>('SELECT sum(cost_usd)::float8 AS cost FROM ai_usage');
    expect(bill!.cost).toBeCloseTo(cost, 8);
  });

  it('refuses an unknown period, and a key that the caller does not manage', async () => {
    const { id } = await create(['read:status'], 'test');
    expect(await gateway.api('GET', `/admin/api-keys/${id}/usage?period=2d`)).toMatchObject({ status: 400 });
    const other = await gateway.createKey({ scopes: ['admin:users'] });
    for (const wanted of [id, 'key_01h455vb4pex5vsknk084sn02q', 'key_nothing']) {
      const answer = await gateway.api('GET', `/admin/api-keys/${wanted}/usage`, undefined, { key: other });
      expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'api_key', id: wanted }));
    }
  });
});
