import { Client } from 'pg';
import type { ApiKeyDto, CreatedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

/** ADR 19: no key grants what it does not hold. */
describe('A restricted key', () => {
  const scopes = ['admin:users', 'read:status'] as const;
  const refused = expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: '*', key_scopes: [...scopes] });
  const plain = {
    tier: 'standard',
    rate_limit: null,
    allowed_ips: [],
    expires_at: null,
    ai_budget: null,
    ai_models: [],
  };
  const bounds = {
    tier: 'pro',
    rate_limit: { requests_per_minute: 100, requests_per_hour: 2_000 },
    allowed_ips: ['127.0.0.0/8'],
    expires_at: '2900-01-01T00:00:00.000Z',
    ai_budget: { daily_usd: 5, monthly_usd: null },
    ai_models: ['small', 'smaller'],
  };
  const wider = [
    { allowed_ips: [] },
    { allowed_ips: ['0.0.0.0/0'] },
    { allowed_ips: ['127.0.0.1', '10.0.0.1'] },
    { expires_at: null },
    { expires_at: '2900-01-01T00:00:00.001Z' },
    { allowed_ips: [], expires_at: null },
    { name: 'Freed', allowed_ips: ['127.0.0.1'], expires_at: null },
    { tier: 'elite' },
    { rate_limit: null },
    { rate_limit: { requests_per_minute: 101 } },
    { rate_limit: { requests_per_hour: 2_001 } },
    { ai_budget: null },
    { ai_budget: { daily_usd: 5.01 } },
    { ai_budget: { daily_usd: null } },
    { ai_models: [] },
    { ai_models: ['small', 'large'] },
  ];
  const gateway = useGateway();
  /** `*`, without restrictions. */
  let free: string;
  /** Made by the free key, and what it made itself. */
  let bound: CreatedApiKeyDto;
  let made: CreatedApiKeyDto;

  const post = (body: object, key: string) =>
    gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', { name: 'A key', scopes, ...body }, { key });
  const create = async (body: object, key = free) => (await post(body, key)).body.data;
  const patch = ({ id }: ApiKeyDto, body: object, { key }: { key: string }) =>
    gateway.api<ApiKeyDto>('PATCH', `/admin/api-keys/${id}`, body, { key });
  const roll = ({ id }: ApiKeyDto, { key }: { key: string }) =>
    gateway.api<CreatedApiKeyDto>('POST', `/admin/api-keys/${id}/roll`, {}, { key });
  const revoke = ({ id }: ApiKeyDto, { key }: { key: string }) =>
    gateway.api('DELETE', `/admin/api-keys/${id}`, undefined, { key });

  beforeEach(async () => {
    free = await gateway.createFreeKey();
    bound = await create(bounds);
    made = await create({}, bound.key);
  });

  it('creates keys with its own restrictions if the request omits them', () => {
    expect(made).toMatchObject(bounds);
  });

  it('grants a part of what it has', async () => {
    const part = {
      tier: 'standard',
      rate_limit: { requests_per_minute: 100, requests_per_hour: 5 },
      allowed_ips: ['127.0.0.1', '127.1.0.0/16'],
      expires_at: '2800-01-01T00:00:00.000Z',
      ai_budget: { daily_usd: 5, monthly_usd: 70 },
      ai_models: ['smaller'],
    };
    expect(await post(part, bound.key)).toMatchObject({ status: 201, body: { data: part } });
  });

  it.each(wider)('creates no key that has more: %j', async (more) => {
    expect(await post(more, bound.key)).toMatchObject(refused);
  });

  it.each(wider)('cannot widen its keys or, through them, itself: %j', async (more) => {
    expect(await patch(made, more, bound)).toMatchObject(refused);
    expect(await patch(bound, more, made)).toMatchObject(refused);
    expect(await patch(bound, more, bound)).toMatchObject(refused);
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100');
    for (const { id } of [bound, made]) {
      expect(body.data.find((key) => key.id === id)).toMatchObject({ name: 'A key', ...bounds });
    }
  });

  it('cannot widen anything with admin:settings either', async () => {
    const settings = ['admin:settings', 'read:status'] as const;
    const other = await create({ ...bounds, scopes: settings });
    const its = await create({ scopes: settings }, other.key);
    const details = { required_scope: '*', key_scopes: [...settings] } as const;
    expect(await patch(its, { allowed_ips: [], expires_at: null }, other)).toMatchObject(
      expectedError('INSUFFICIENT_PERMISSIONS', details),
    );
  });

  it('cannot raise its own limits through a key with equal rights', async () => {
    const limited = await create({ rate_limit: { requests_per_minute: 100, requests_per_hour: 1_000 } });
    const twin = await create({}, limited.key);
    const raised = { rate_limit: { requests_per_minute: 101, requests_per_hour: 1_000 } };
    for (const by of [limited, twin]) {
      for (const key of [limited, twin]) expect(await patch(key, raised, by)).toMatchObject(refused);
      expect(await post(raised, by.key)).toMatchObject(refused);
    }
  });

  it('with addresses and one with an expiry cannot widen each other', async () => {
    const addressed = await create({ allowed_ips: ['127.0.0.0/8'] });
    const expiring = await create({ expires_at: '2900-01-01T00:00:00Z' });
    expect(await patch(expiring, { expires_at: null }, addressed)).toMatchObject(refused);
    expect(await patch(addressed, { allowed_ips: [] }, expiring)).toMatchObject(refused);
    const together = [
      patch(expiring, { expires_at: null }, addressed),
      patch(addressed, { allowed_ips: [] }, expiring),
    ];
    for (const answer of await Promise.all(together)) expect(answer).toMatchObject(refused);
  });

  it('restricts a key further, and widens it again up to its own rights', async () => {
    const tighter = { ...bounds, allowed_ips: ['127.0.0.1'], expires_at: '2800-01-01T00:00:00.000Z', tier: 'standard' };
    expect(await patch(made, tighter, bound)).toMatchObject({ status: 200, body: { data: tighter } });
    expect(await patch(made, bounds, bound)).toMatchObject({ status: 200, body: { data: bounds } });
  });

  it.each([
    { tier: 'elite', rate_limit: bounds.rate_limit },
    { rate_limit: { ...bounds.rate_limit, requests_per_hour: 2_001 } },
    { allowed_ips: [] },
    { expires_at: null },
    { ai_budget: null },
    { ai_models: [] },
  ])('neither renames, restricts, rolls nor revokes a key that has more: %j', async (more) => {
    const freer = await create({ ...bounds, ...more });
    expect(await patch(freer, { name: 'B' }, bound)).toMatchObject(refused);
    expect(await patch(freer, bounds, bound)).toMatchObject(refused);
    expect(await roll(freer, bound)).toMatchObject(refused);
    expect(await revoke(freer, bound)).toMatchObject(refused);
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100');
    const { key: _, ...unchanged } = freer;
    expect(body.data.find(({ id }) => id === freer.id)).toEqual(unchanged);
  });

  it('changes, rolls and revokes a key with equal rights', async () => {
    const twin = await create(bounds);
    expect(await patch(twin, { name: 'B' }, bound)).toMatchObject({ status: 200, body: { data: { name: 'B' } } });
    expect(await roll(twin, bound)).toMatchObject({ status: 200 });
    expect(await revoke(twin, bound)).toMatchObject({ status: 200 });
    expect(await revoke(bound, bound)).toMatchObject({ status: 200 });
  });

  it('gives a key of a lower tier the limits of that tier, and its own tier lower limits', async () => {
    const limited = await create({ tier: 'elite', rate_limit: { requests_per_minute: 100, requests_per_hour: 900 } });
    const both = { requests_per_minute: 100, requests_per_hour: 900 };
    expect(await create({}, limited.key)).toMatchObject({ tier: 'elite', rate_limit: both });
    expect(await create({ tier: 'pro' }, limited.key)).toMatchObject({ tier: 'pro', rate_limit: both });
    const lower = { tier: 'standard', rate_limit: { requests_per_minute: 60, requests_per_hour: 900 } };
    expect(await create({ tier: 'standard' }, limited.key)).toMatchObject(lower);
    expect(await create({ tier: 'standard' }, bound.key)).toMatchObject({ tier: 'standard', rate_limit: null });
    const one = { tier: 'standard', rate_limit: { requests_per_minute: 30 } };
    expect(await create(one, bound.key)).toMatchObject({
      rate_limit: { requests_per_minute: 30, requests_per_hour: 1_000 },
    });
  });

  it('with the scope * is still bound by its restrictions', async () => {
    const all = expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: '*', key_scopes: ['*'] });
    for (const bounding of [
      { allowed_ips: ['127.0.0.0/8'] },
      { expires_at: '2900-01-01T00:00:00.000Z' },
      { rate_limit: { requests_per_minute: 50, requests_per_hour: 500 } },
      { ai_budget: { daily_usd: 5, monthly_usd: null } },
      { ai_models: ['small'] },
    ]) {
      const full = await create({ ...bounding, scopes: ['*'], tier: 'pro' });
      expect(await create({}, full.key)).toMatchObject({ ...plain, tier: 'pro', ...bounding });
      for (const field of Object.keys(bounding)) {
        const more = { [field]: plain[field as keyof typeof plain] };
        expect(await post(more, full.key)).toMatchObject(all);
        expect(await patch(full, more, full)).toMatchObject(all);
      }
      expect(await post({ tier: 'elite' }, full.key)).toMatchObject(all);
    }
  });

  it.each([
    { tier: 'standard', rate_limit: null },
    { tier: 'standard', rate_limit: { requests_per_minute: 60, requests_per_hour: 1_000_000 } },
  ])('with the scope * and no limit below its tier grants freely: %j', async (limits) => {
    const full = await create({ scopes: ['*'], ...limits });
    const much = { tier: 'elite', rate_limit: { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 } };
    expect(await create(much, full.key)).toMatchObject(much);
    expect(await patch(made, plain, full)).toMatchObject({ status: 200, body: { data: plain } });
    expect(await create({}, full.key)).toMatchObject(plain);
  });

  it('rolls only a key that has no more than itself', async () => {
    expect(await roll(made, bound)).toMatchObject({ status: 200 });
    const less = await create({ ai_models: ['small'] }, bound.key);
    expect(await roll(bound, less)).toMatchObject(refused);
    expect(await roll(await create({}), bound)).toMatchObject(refused);
    expect(await roll(bound, bound)).toMatchObject({ status: 200 });
  });

  it('is checked with its rights at the time of the change', async () => {
    await patch(made, { expires_at: '2800-01-01' }, bound);
    const [narrowing, widening] = await inTurn(
      () => patch(bound, { expires_at: '2850-01-01' }, bound),
      () => patch(made, { expires_at: '2900-01-01' }, bound),
    );
    expect(narrowing).toMatchObject({ status: 200 });
    expect(widening).toMatchObject(refused);
  });

  it.each([
    { end: 'revoked', by: () => gateway.api('DELETE', `/admin/api-keys/${bound.id}`), code: 'INVALID_API_KEY' },
    {
      end: 'expired',
      by: () => patch(bound, { expires_at: '2001-01-01' }, { key: free }),
      code: 'API_KEY_EXPIRED',
    },
    {
      end: 'bound to another address',
      by: () => patch(bound, { allowed_ips: ['192.0.2.1'] }, { key: free }),
      code: 'IP_NOT_ALLOWED',
    },
    {
      end: 'rolled without grace',
      by: () => gateway.api('POST', `/admin/api-keys/${bound.id}/roll`, { grace_hours: 0 }),
      code: 'INVALID_API_KEY',
    },
  ])('changes no key once it is $end, even if the request had been accepted', async ({ by, code }) => {
    const changes = [
      () => post({}, bound.key),
      () => patch(made, { name: 'B' }, bound),
      () => roll(made, bound),
      () => gateway.api('DELETE', `/admin/api-keys/${made.id}`, undefined, bound),
    ];
    const [ended, ...late] = await inTurn(by, ...changes);
    expect(ended).toMatchObject({ status: 200 });
    expect(late.map(({ body }) => body.error.code)).toEqual(changes.map(() => code));
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100');
    expect(body.data.find(({ id }) => id === made.id)).toMatchObject({ name: 'A key', status: 'active' });
  });

  it('is refused an address list without its own address, whatever its rights', async () => {
    const full = await create({ scopes: ['*'] });
    const without = (key: ApiKeyDto, by: { key: string }) => patch(key, { allowed_ips: ['192.0.2.0/24'] }, by);
    for (const key of [full, bound]) {
      const { status, body } = await without(key, key);
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    }
    expect(await patch(full, { allowed_ips: ['192.0.2.0/24', '127.0.0.1'] }, full)).toMatchObject({ status: 200 });
    expect(await without(full, { key: free })).toMatchObject({ status: 200 });
  });

  /** Calls that wait for the lock of changes one behind the other, so that all were admitted before the first is done. */
  async function inTurn<T>(...calls: (() => Promise<T>)[]): Promise<T[]> {
    const holder = new Client({ connectionString: gateway.databaseUrl });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(7246004)');
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      answers.push(call());
      await eventually(`${answers.length} changes wait for their turn`, async () => {
        const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 7246004 AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        expect(await gateway.sql(locks)).toHaveLength(answers.length);
      });
    }
    await holder.end();
    return Promise.all(answers);
  }
});
