import { generateKey } from '../../../src/api-keys/key-format';
import type { ApiKeyDto, CreatedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, useGateway, type TestGateway } from '../../support/gateway';

const WITHIN_A_SECOND = { timeoutMs: 1_000 };

describe('A rolled key', () => {
  const gateway = useGateway();
  let other: TestGateway;
  let made: CreatedApiKeyDto;

  const roll = (id: string, body?: object, key?: string) =>
    gateway.api<CreatedApiKeyDto>('POST', `/admin/api-keys/${id}/roll`, body, { key });
  const rolled = async (id: string, body?: object) => (await roll(id, body)).body.data.key;
  const statusOn = async (instance: TestGateway, key: string) =>
    (await instance.api('GET', '/status', undefined, { key })).status;
  const statuses = async (key: string) => [await statusOn(gateway, key), await statusOn(other, key)];
  const ends = (key: string) =>
    eventually('the value ends', async () => expect(await statuses(key)).toEqual([401, 401]), WITHIN_A_SECOND);
  const read = async (id: string) =>
    (await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100')).body.data.find((key) => key.id === id)!;
  const endGrace = async (id: string) => {
    const uuid = `(SELECT id FROM api_keys WHERE name = $1)`;
    await gateway.sql(`UPDATE api_keys SET previous_ends_at = now() WHERE id = ${uuid}`, [id]);
    await gateway.sql(`SELECT pg_notify('gateway', 'api_keys:')`);
  };

  beforeAll(async () => {
    other = await startTestGateway({ databaseUrl: gateway.databaseUrl });
  });

  beforeEach(async () => {
    const body = { name: `Rolled ${Math.random()}`, scopes: ['read:status'], tier: 'pro' };
    made = (await gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', body)).body.data;
    expect(await statuses(made.key)).toEqual([200, 200]);
  });

  it('keeps its id and fields with a new value, and the old value keeps working on every instance', async () => {
    const { status, body } = await roll(made.id);
    expect(status).toBe(200);
    const { key, masked_key: masked, ...record } = body.data;
    const { key: old, masked_key: oldMask, ...former } = made;
    expect(record).toEqual({ ...former, last_used_at: record.last_used_at });
    expect(key).toMatch(/^service_sk_live_[A-Za-z0-9]{32}$/);
    expect(key).not.toBe(old);
    expect(masked).toBe(`service_sk_live_…${key.slice(-4)}`);
    expect((await read(made.id)).masked_key).toBe(masked);
    expect(await statuses(key)).toEqual([200, 200]);
    expect(await statuses(old)).toEqual([200, 200]);
    // Once more, when the instances have heard of the change.
    await eventually('the old value works on', async () => expect(await statuses(old)).toEqual([200, 200]));
    expect(oldMask).not.toBe(masked);
  });

  it('keeps the old value for 24 hours, unless the request says otherwise', async () => {
    const hours = async () => {
      const rows = await gateway.sql<{ hours: number }>(
        'SELECT extract(epoch FROM previous_ends_at - now())::float8 / 3600 AS hours FROM api_keys WHERE name = $1',
        [made.name],
      );
      return rows[0]!.hours;
    };
    await roll(made.id);
    expect(await hours()).toBeCloseTo(24, 1);
    await roll(made.id, { grace_hours: 168 });
    expect(await hours()).toBeCloseTo(168, 1);
  });

  it('counts the requests of both values together', async () => {
    await gateway.api('PATCH', `/admin/api-keys/${made.id}`, { rate_limit: { requests_per_minute: 1_000 } });
    const key = await rolled(made.id);
    const remaining = async (value: string) =>
      Number((await gateway.api('GET', '/status', undefined, { key: value })).headers['x-ratelimit-remaining']);
    const before = await remaining(key);
    expect(await remaining(made.key)).toBe(before - 1);
  });

  it('appears in the audit log under its id with either value', async () => {
    const key = await rolled(made.id);
    expect([await statusOn(gateway, key), await statusOn(gateway, made.key)]).toEqual([200, 200]);
    await eventually('both values are in the audit log', async () => {
      const { body } = await gateway.api<{ masked_key: string }[]>('GET', `/admin/audit-log?key_id=${made.id}`);
      const masks = new Set(body.data.map(({ masked_key: masked }) => masked.slice(-4)));
      expect(masks).toEqual(new Set([made.key.slice(-4), key.slice(-4)]));
    });
  });

  it('loses the old value when the grace period ends', async () => {
    const key = await rolled(made.id, { grace_hours: 168 });
    expect(await statuses(made.key)).toEqual([200, 200]);
    await endGrace(made.name);
    await ends(made.key);
    expect(await gateway.api('GET', '/status', undefined, { key: made.key })).toMatchObject(
      expectedError('INVALID_API_KEY', null),
    );
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('loses the old value at once without a grace period', async () => {
    const key = await rolled(made.id, { grace_hours: 0 });
    await ends(made.key);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('loses the oldest of three values with a second roll', async () => {
    const second = await rolled(made.id);
    const third = await rolled(made.id);
    await ends(made.key);
    expect(await statuses(second)).toEqual([200, 200]);
    expect(await statuses(third)).toEqual([200, 200]);
  });

  it('loses both values when it is revoked, and cannot be rolled again', async () => {
    const key = await rolled(made.id);
    expect(await statuses(made.key)).toEqual([200, 200]);
    await gateway.api('DELETE', `/admin/api-keys/${made.id}`);
    await ends(made.key);
    await ends(key);
    expect(await roll(made.id)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it('cannot be rolled after it expired', async () => {
    await gateway.api('PATCH', `/admin/api-keys/${made.id}`, { expires_at: '2001-01-01' });
    expect(await roll(made.id)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it('keeps one of the values of concurrent rolls, and the previous one', async () => {
    const values = (await Promise.all([roll(made.id), roll(made.id), roll(made.id)])).map(({ body }) => body.data.key);
    await eventually('two of four values work', async () => {
      const found = await Promise.all([made.key, ...values].map((key) => statusOn(gateway, key)));
      expect(found.toSorted((a, b) => a - b)).toEqual([200, 200, 401, 401]);
    });
  });

  it.each([
    { grace_hours: -1 },
    { grace_hours: 169 },
    { grace_hours: 1.5 },
    { grace_hours: '24' },
    { grace_hours: null },
  ])('refuses %j', async (body) => {
    expect(await roll(made.id, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'grace_hours' } } },
    });
  });

  it('is not found by a key of the other environment, and not rolled by a key that lacks its scopes', async () => {
    expect(await roll(made.id, {}, gateway.testKey)).toMatchObject({ status: 404 });
    const lacking = await gateway.createKey({ scopes: ['admin:users'] });
    const details = { required_scope: 'read:status', key_scopes: ['admin:users'] } as const;
    expect(await roll(made.id, {}, lacking)).toMatchObject(expectedError('INSUFFICIENT_PERMISSIONS', details));
  });

  it('from BOOTSTRAP_API_KEY does not return with the next start', async () => {
    const bootstrap = generateKey('live');
    const env = { BOOTSTRAP_API_KEY: bootstrap };
    const first = await startTestGateway({ databaseUrl: gateway.databaseUrl, env });
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100');
    const { id } = body.data.find(({ name }) => name === 'Bootstrap key')!;
    await rolled(id);
    await rolled(id);
    await first.stop();
    const again = await startTestGateway({ databaseUrl: gateway.databaseUrl, env });
    expect(await statusOn(again, bootstrap)).toBe(401);
    await again.stop();
  });
});
