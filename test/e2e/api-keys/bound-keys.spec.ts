import { Client } from 'pg';
import type { ApiKeyDto, CreatedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('A key that is bound', () => {
  const scopes = ['admin:users', 'read:status'] as const;
  const refused = expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: '*', key_scopes: [...scopes] });
  const bounds = { allowed_ips: ['127.0.0.0/8'], expires_at: '2900-01-01T00:00:00.000Z' };
  let gateway: TestGateway;
  /** Made by the `*` key, and what it made itself. */
  let bound: CreatedApiKeyDto;
  let made: CreatedApiKeyDto;

  const create = async (body: object, key?: string) => {
    const full = { name: 'A key', scopes, ...body };
    return (await gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', full, { key })).body.data;
  };
  const patch = ({ id }: ApiKeyDto, body: object, { key }: { key?: string } = {}) =>
    gateway.api<ApiKeyDto>('PATCH', `/admin/api-keys/${id}`, body, { key });

  beforeAll(async () => {
    gateway = await startTestGateway();
  });

  beforeEach(async () => {
    bound = await create(bounds);
    made = await create({}, bound.key);
  });

  it.each([
    { allowed_ips: [] },
    { allowed_ips: ['0.0.0.0/0'] },
    { allowed_ips: ['127.0.0.1', '10.0.0.1'] },
    { expires_at: null },
    { expires_at: '2900-01-01T00:00:00.001Z' },
    { allowed_ips: [], expires_at: null },
    { name: 'Freed', allowed_ips: ['127.0.0.1'], expires_at: null },
  ])('frees neither the key it made nor, through that, itself: %j', async (freer) => {
    expect(await patch(made, freer, bound)).toMatchObject(refused);
    expect(await patch(bound, freer, made)).toMatchObject(refused);
    expect(await patch(bound, freer, bound)).toMatchObject(refused);
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100');
    for (const { id } of [bound, made]) {
      expect(body.data.find((key) => key.id === id)).toMatchObject({ name: 'A key', ...bounds });
    }
  });

  it('frees nothing under admin:settings either', async () => {
    const settings = ['admin:settings', 'read:status'] as const;
    const other = await create({ ...bounds, scopes: settings });
    const its = await create({ scopes: settings }, other.key);
    const details = { required_scope: '*', key_scopes: [...settings] } as const;
    expect(await patch(its, { allowed_ips: [], expires_at: null }, other)).toMatchObject(
      expectedError('INSUFFICIENT_PERMISSIONS', details),
    );
  });

  it('binds a key more tightly, and loosens it again as far as it is bound itself', async () => {
    const tighter = { allowed_ips: ['127.0.0.1'], expires_at: '2800-01-01T00:00:00.000Z' };
    expect(await patch(made, tighter, bound)).toMatchObject({ status: 200, body: { data: tighter } });
    expect(await patch(made, bounds, bound)).toMatchObject({ status: 200, body: { data: bounds } });
  });

  it('changes a freer key without binding it', async () => {
    const free = await create({});
    const renamed = { name: 'B', allowed_ips: [], expires_at: null };
    expect(await patch(free, renamed, bound)).toMatchObject({ status: 200, body: { data: renamed } });
    const narrower = { allowed_ips: ['10.0.0.0/8'], expires_at: '2950-01-01T00:00:00.000Z' };
    expect(await patch(free, narrower, bound)).toMatchObject({ status: 200, body: { data: narrower } });
    const added = { allowed_ips: ['10.0.0.0/8', '127.0.0.1'] };
    expect(await patch(free, added, bound)).toMatchObject({ status: 200, body: { data: added } });
    expect(await patch(free, { expires_at: null }, bound)).toMatchObject(refused);
  });

  it('sets the limits of other keys, as it does of those it makes', async () => {
    const limits = { tier: 'elite', rate_limit: { requests_per_minute: 500, requests_per_hour: 50_000 } };
    expect(await create(limits, bound.key)).toMatchObject(limits);
    expect(await patch(made, limits, bound)).toMatchObject({ status: 200, body: { data: limits } });
    expect(await patch(bound, limits, bound)).toMatchObject(refused);
  });

  it('is freed by a key with the scope *, even a bound one', async () => {
    const full = await create({ ...bounds, scopes: ['*'] });
    const free = { allowed_ips: [], expires_at: null };
    expect(await patch(made, free, full)).toMatchObject({ status: 200, body: { data: free } });
    expect(await patch(full, free, full)).toMatchObject({ status: 200, body: { data: free } });
  });

  it('frees any key when it is not bound itself', async () => {
    const unbound = await create({});
    const free = { allowed_ips: [], expires_at: null };
    expect(await patch(bound, free, unbound)).toMatchObject({ status: 200, body: { data: free } });
  });

  it('is judged by what it is bound to when its turn comes', async () => {
    await patch(made, { expires_at: '2800-01-01' }, bound);
    const waiting = async (count: number) =>
      eventually(`${count} changes wait for their turn`, async () => {
        const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 7246004 AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        expect(await gateway.sql(locks)).toHaveLength(count);
      });
    const holder = new Client({ connectionString: gateway.databaseUrl });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(7246004)');
    const narrowing = patch(bound, { expires_at: '2850-01-01' });
    await waiting(1);
    const widening = patch(made, { expires_at: '2900-01-01' }, bound);
    await waiting(2);
    await holder.end();
    expect(await narrowing).toMatchObject({ status: 200 });
    expect(await widening).toMatchObject(refused);
  });
});
