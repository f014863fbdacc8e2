import { fromPublicId, type Scope } from '#contracts';
import type { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import { eventually } from '../../support/eventually';
import { aTimestamp, anId, expectedError, expectedPage, expectedSuccess } from '../../support/expected';
import { startTestGateway, useGateway, type TestGateway } from '../../support/gateway';

describe('API keys', () => {
  const gateway = useGateway();
  /** Grants freely: what a request leaves out is plain. */
  let free: string;

  beforeAll(async () => {
    free = await gateway.createFreeKey();
  });

  async function create(body: object, key = free): Promise<CreatedApiKeyDto> {
    const full = { name: 'A key', scopes: ['read:status'], ...body };
    const answer = await gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', full, { key });
    expect(answer.status).toBe(201);
    return answer.body.data;
  }

  const read = async (id: string): Promise<ApiKeyDto> =>
    (await gateway.api<ApiKeyDto>('GET', `/admin/api-keys/${id}`)).body.data;

  it('are shown once and work at once', async () => {
    const answer = await gateway.api<CreatedApiKeyDto>('POST', '/admin/api-keys', {
      name: 'Shop',
      scopes: ['read:status', 'read:messages'],
      expires_at: '2999-01-01T00:00:00Z',
      allowed_ips: ['127.0.0.1', '2001:DB8::1/32', '::ffff:10.1.2.3'],
      rate_limit: { requests_per_minute: 7, requests_per_hour: 70 },
      tier: 'pro',
      ai_budget: { daily_usd: 2.5 },
      ai_models: ['claude-haiku-4-5', 'claude-haiku-4-5'],
    });
    const { key } = answer.body.data;
    const listed = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys');
    const maker = listed.body.data.find(({ masked_key: masked }) => gateway.liveKey.endsWith(masked.slice(-4)));
    expect(key).toMatch(/^service_sk_live_[A-Za-z0-9]{32}$/);
    const record = {
      id: anId('api_key'),
      name: 'Shop',
      environment: 'live',
      masked_key: `service_sk_live_…${key.slice(-4)}`,
      scopes: ['read:status', 'read:messages'],
      tier: 'pro',
      allowed_ips: ['127.0.0.1', '2001:db8::/32', '10.1.2.3'],
      rate_limit: { requests_per_minute: 7, requests_per_hour: 70 },
      ai_budget: { daily_usd: 2.5, monthly_usd: null },
      ai_models: ['claude-haiku-4-5'],
      created_by: maker!.id,
      status: 'active',
      created_at: aTimestamp(),
      expires_at: '2999-01-01T00:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
    };
    expect(answer).toMatchObject({ status: 201, body: expectedSuccess({ ...record, key }) });
    expect(await read(answer.body.data.id)).toEqual(record);
    const used = await gateway.api('GET', '/status', undefined, { key });
    expect(used).toMatchObject({ status: 200, headers: { 'x-ratelimit-limit': '7' } });
    await eventually('its use is noted', async () =>
      expect((await read(answer.body.data.id)).last_used_at).toEqual(aTimestamp()),
    );
  });

  it('are readable by keys that manage them, in lists as by id', async () => {
    const { id } = await create({ environment: 'test' });
    const { body: listed } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?environment=test');
    expect(await read(id)).toEqual(listed.data.find((key) => key.id === id));
    const manager = await gateway.createKey({ environment: 'test', scopes: ['admin:users'] });
    expect(await gateway.api('GET', `/admin/api-keys/${id}`, undefined, { key: manager })).toMatchObject({
      status: 200,
    });
    const other = await gateway.createKey({ scopes: ['admin:users'] });
    const unknown = 'key_01h455vb4pex5vsknk084sn02q';
    for (const [of, key] of [
      [id, other],
      [unknown, free],
      ['key_nothing', free],
    ] as const) {
      const answer = await gateway.api('GET', `/admin/api-keys/${of}`, undefined, { key });
      expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'api_key', id: of }));
    }
  });

  it('have the default limits', async () => {
    expect(await create({})).toMatchObject({
      tier: 'standard',
      rate_limit: null,
      allowed_ips: [],
      expires_at: null,
      ai_budget: null,
      ai_models: [],
      environment: 'live',
    });
  });

  it.each([
    [{ scopes: undefined, name: undefined }, 'MISSING_PARAMETER', { parameter: 'name' }],
    [{ name: '' }, 'INVALID_PARAMETER', { parameter: 'name' }],
    [{ name: '   ' }, 'INVALID_PARAMETER', { parameter: 'name' }],
    [{ name: '\t\n' }, 'INVALID_PARAMETER', { parameter: 'name' }],
    [{ name: 'x'.repeat(101) }, 'INVALID_PARAMETER', { parameter: 'name' }],
    [{ scopes: [] }, 'INVALID_PARAMETER', { parameter: 'scopes' }],
    [{ scopes: 'read:status' }, 'INVALID_PARAMETER', { parameter: 'scopes' }],
    [{ scopes: ['read:status', 'read:all'] }, 'INVALID_PARAMETER', { parameter: 'scopes[1]', value: 'read:all' }],
    [{ tier: 'gold' }, 'INVALID_PARAMETER', { parameter: 'tier' }],
    [{ environment: 'staging' }, 'INVALID_PARAMETER', { parameter: 'environment' }],
    [{ expires_at: 'tomorrow' }, 'INVALID_PARAMETER', { parameter: 'expires_at' }],
    [{ expires_at: '2001-01-01' }, 'INVALID_PARAMETER', { parameter: 'expires_at' }],
    [{ allowed_ips: ['10.0.0.0/40'] }, 'INVALID_PARAMETER', { parameter: 'allowed_ips[0]', value: '10.0.0.0/40' }],
    [{ allowed_ips: Array(101).fill('10.0.0.1') }, 'INVALID_PARAMETER', { parameter: 'allowed_ips' }],
    [{ allowed_ips: null }, 'INVALID_PARAMETER', { parameter: 'allowed_ips' }],
    [{ rate_limit: { requests_per_minute: 0 } }, 'INVALID_PARAMETER', { parameter: 'rate_limit.requests_per_minute' }],
    [
      { rate_limit: { requests_per_hour: 1_000_001 } },
      'INVALID_PARAMETER',
      { parameter: 'rate_limit.requests_per_hour' },
    ],
    [{ rate_limit: { requests_per_day: 1 } }, 'INVALID_REQUEST', { fields: ['rate_limit.requests_per_day'] }],
    [{ rate_limit: 5 }, 'INVALID_PARAMETER', { parameter: 'rate_limit' }],
    [{ ai_budget: 5 }, 'INVALID_PARAMETER', { parameter: 'ai_budget' }],
    [{ ai_budget: { daily_usd: -0.01 } }, 'INVALID_PARAMETER', { parameter: 'ai_budget.daily_usd' }],
    [{ ai_budget: { monthly_usd: '5' } }, 'INVALID_PARAMETER', { parameter: 'ai_budget.monthly_usd' }],
    [{ ai_budget: { yearly_usd: 5 } }, 'INVALID_REQUEST', { fields: ['ai_budget.yearly_usd'] }],
    [{ ai_models: [''] }, 'INVALID_PARAMETER', { parameter: 'ai_models[0]' }],
    [{ ai_models: null }, 'INVALID_PARAMETER', { parameter: 'ai_models' }],
    [{ admin: true }, 'INVALID_REQUEST', { fields: ['admin'] }],
  ])('are not created with %j', async (change, code, details) => {
    const body = { name: 'A key', scopes: ['read:status'], ...change };
    const answer = await gateway.api('POST', '/admin/api-keys', body);
    expect(answer).toMatchObject({ status: 400, body: { success: false, error: { code, details } } });
  });

  it('report all invalid fields at once', async () => {
    const answer = await gateway.api('POST', '/admin/api-keys', { name: 'x', scopes: ['a', 'read:status', 'b'] });
    expect(answer.body.error.details).toMatchObject({
      errors: [{ parameter: 'scopes[0]' }, { parameter: 'scopes[2]' }],
    });
  });

  it('refuse an address that is not on their list, with the reason', async () => {
    const { key } = await create({ allowed_ips: ['203.0.113.0/24'] });
    const answer = await gateway.api('GET', '/status', undefined, { key });
    expect(answer).toMatchObject(
      expectedError('IP_NOT_ALLOWED', { request_ip: '127.0.0.1', allowed_ips: ['203.0.113.0/24'] }),
    );
  });

  it('believe X-Forwarded-For only of a trusted proxy', async () => {
    const { key } = await create({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    const call = (instance: TestGateway, address: string) =>
      instance.api('GET', '/status', undefined, { key, headers: { 'x-forwarded-for': address } });
    expect((await call(gateway, '203.0.113.7')).status).toBe(403);
    const env = { TRUST_PROXY: '127.0.0.0/8' };
    const behindProxy = await startTestGateway({ databaseUrl: gateway.databaseUrl, env });
    expect((await call(behindProxy, '203.0.113.7')).status).toBe(200);
    expect((await call(behindProxy, '::ffff:203.0.113.7')).status).toBe(200);
    expect((await call(behindProxy, '2001:db8::7')).status).toBe(200);
    // What the client itself put in front of its address is not believed.
    const spoofed = await call(behindProxy, '203.0.113.7, 198.51.100.1');
    expect(spoofed.body.error.details).toMatchObject({ request_ip: '198.51.100.1' });
    await behindProxy.stop();
  });

  it('can be changed, with immediate effect', async () => {
    const { id, key } = await create({});
    expect((await gateway.api('GET', '/status', undefined, { key })).headers['x-ratelimit-limit']).toBe('60');
    const changed = await gateway.api('PATCH', `/admin/api-keys/${id}`, { rate_limit: { requests_per_minute: 5 } });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { rate_limit: { requests_per_minute: 5, requests_per_hour: 1_000 } } },
    });
    await eventually('the new limit holds', async () => {
      const { headers } = await gateway.api('GET', '/status', undefined, { key });
      expect(headers['x-ratelimit-limit']).toBe('5');
    });
    const reset = await gateway.api('PATCH', `/admin/api-keys/${id}`, { rate_limit: null, name: 'B', tier: 'elite' });
    expect(reset.body.data).toMatchObject({ rate_limit: null, name: 'B', tier: 'elite' });
  });

  it('get and lose AI budget and models by a change', async () => {
    const { id } = await create({ ai_budget: { daily_usd: 5, monthly_usd: 50 } });
    const patch = async (body: object) =>
      (await gateway.api<ApiKeyDto>('PATCH', `/admin/api-keys/${id}`, body)).body.data;
    expect(await patch({ ai_budget: { daily_usd: 0 }, ai_models: ['a', 'b'] })).toMatchObject({
      ai_budget: { daily_usd: 0, monthly_usd: 50 },
      ai_models: ['a', 'b'],
    });
    const one = { daily_usd: null, monthly_usd: 50 };
    expect(await patch({ ai_budget: { daily_usd: null } })).toMatchObject({ ai_budget: one, ai_models: ['a', 'b'] });
    expect(await patch({ ai_budget: null, ai_models: [] })).toMatchObject({ ai_budget: null, ai_models: [] });
    expect(await read(id)).toMatchObject({ ai_budget: null, ai_models: [] });
  });

  it('made at the first start say so', async () => {
    const bootstrap = 'service_sk_live_ThisKeyIsConfiguredAndMade0Start';
    const started = await startTestGateway({ env: { BOOTSTRAP_API_KEY: bootstrap } });
    const { body } = await started.api<ApiKeyDto[]>('GET', '/admin/api-keys', undefined, { key: bootstrap });
    expect(body.data.find(({ name }) => name === 'Bootstrap key')).toMatchObject({ created_by: 'start' });
    await started.stop();
  });

  it('expire', async () => {
    const { id, key } = await create({});
    await gateway.api('PATCH', `/admin/api-keys/${id}`, { expires_at: '2001-01-01T00:00:00Z' });
    await eventually('the key is refused', async () => {
      const answer = await gateway.api('GET', '/status', undefined, { key });
      expect(answer).toMatchObject(expectedError('API_KEY_EXPIRED', { expired_at: '2001-01-01T00:00:00.000Z' }));
    });
    expect(await read(id)).toMatchObject({ status: 'expired' });
    await gateway.api('DELETE', `/admin/api-keys/${id}`);
    await eventually('the key is revoked', async () => {
      const answer = await gateway.api('GET', '/status', undefined, { key });
      expect(answer).toMatchObject(expectedError('INVALID_API_KEY', null));
    });
  });

  it.each([undefined, {}])('need at least one change: %j', async (body) => {
    const { id } = await create({});
    const answer = await gateway.api('PATCH', `/admin/api-keys/${id}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it.each(['', '   ', '\t\n'])('cannot be renamed to %j', async (name) => {
    const { id } = await create({});
    const answer = await gateway.api('PATCH', `/admin/api-keys/${id}`, { name });
    expect(answer).toMatchObject(
      expectedError('INVALID_PARAMETER', {
        parameter: 'name',
        reason: expect.stringMatching(/./) as string,
        value: name,
      }),
    );
  });

  it('are revoked on every instance within a second, permanently', async () => {
    const other = await startTestGateway({ databaseUrl: gateway.databaseUrl });
    const { id, key } = await create({});
    expect((await other.api('GET', '/status', undefined, { key })).status).toBe(200);
    const first = await gateway.api<RevokedApiKeyDto>('DELETE', `/admin/api-keys/${id}`);
    expect(first).toMatchObject({
      status: 200,
      body: expectedSuccess({ id, status: 'revoked', revoked_at: aTimestamp() }),
    });
    for (const instance of [gateway, other]) {
      await eventually(
        'the key is refused',
        async () => expect((await instance.api('GET', '/status', undefined, { key })).status).toBe(401),
        { timeoutMs: 1_000 },
      );
    }
    const second = await gateway.api<RevokedApiKeyDto>('DELETE', `/admin/api-keys/${id}`);
    expect(second).toMatchObject({ status: 200, body: { data: first.body.data } });
    const changed = await gateway.api('PATCH', `/admin/api-keys/${id}`, { expires_at: null });
    expect(changed).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    await other.stop();
  });

  it.each(['key_01h455vb4pex5vsknk084sn02q', 'key_x', 'msg_01h455vb4pex5vsknk084sn02q'])(
    'are not found as %s',
    async (id) => {
      const unknown = expectedError('RESOURCE_NOT_FOUND', { resource: 'api_key', id });
      expect(await gateway.api('DELETE', `/admin/api-keys/${id}`)).toMatchObject(unknown);
      expect(await gateway.api('PATCH', `/admin/api-keys/${id}`, { name: 'x' })).toMatchObject(unknown);
    },
  );

  describe('of limited scopes', () => {
    let limited: string;
    const lacks = (required_scope: Scope) =>
      expectedError('INSUFFICIENT_PERMISSIONS', { required_scope, key_scopes: ['admin:users', 'read:status'] });

    beforeAll(async () => {
      limited = await gateway.createKey({ scopes: ['admin:users', 'read:status'] });
    });

    it('create, change and revoke keys with their own scopes', async () => {
      const { id } = await create({}, limited);
      const changed = await gateway.api('PATCH', `/admin/api-keys/${id}`, { name: 'B' }, { key: limited });
      expect(changed.status).toBe(200);
      expect((await gateway.api('DELETE', `/admin/api-keys/${id}`, undefined, { key: limited })).status).toBe(200);
    });

    it('neither grant nor remove scopes they lack', async () => {
      const wide = { name: 'x', scopes: ['read:status', 'write:messages'] };
      const refused = lacks('write:messages');
      expect(await gateway.api('POST', '/admin/api-keys', wide, { key: limited })).toMatchObject(refused);
      const { id } = await create({ scopes: ['write:messages'] });
      const changed = await gateway.api('PATCH', `/admin/api-keys/${id}`, { name: 'B' }, { key: limited });
      expect(changed).toMatchObject(refused);
      expect(await gateway.api('DELETE', `/admin/api-keys/${id}`, undefined, { key: limited })).toMatchObject(refused);
    });

    it('neither see nor create keys of the other environment', async () => {
      const body = { name: 'x', scopes: ['read:status'], environment: 'test' };
      expect(await gateway.api('POST', '/admin/api-keys', body, { key: limited })).toMatchObject(lacks('*'));
      const { id } = await create({ environment: 'test' });
      const gone = await gateway.api('DELETE', `/admin/api-keys/${id}`, undefined, { key: limited });
      expect(gone).toMatchObject({ status: 404 });
    });

    it('cannot create a less restricted key', async () => {
      const bound = { allowed_ips: ['127.0.0.0/8'], expires_at: '2998-01-01T00:00:00.000Z' };
      const { key } = await create({ scopes: ['admin:users', 'read:status'], ...bound });
      expect(await create({}, key)).toMatchObject(bound);
      for (const freer of [{ allowed_ips: ['0.0.0.0/0'] }, { expires_at: '2999-01-01T00:00:00Z' }]) {
        const body = { name: 'Freer', scopes: ['read:status'], ...freer };
        const answer = await gateway.api('POST', '/admin/api-keys', body, { key });
        expect(answer.status).toBe(403);
        expect(answer.body).toMatchObject({
          error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required_scope: '*' } },
        });
      }
    });

    it('can narrow their own restrictions, never widen them', async () => {
      const own = await create({
        scopes: ['admin:users', 'read:status'],
        expires_at: '2900-01-01',
        allowed_ips: ['127.0.0.0/8'],
        rate_limit: { requests_per_minute: 50, requests_per_hour: 500 },
      });
      const patch = (body: object) => gateway.api('PATCH', `/admin/api-keys/${own.id}`, body, { key: own.key });
      for (const wider of [
        { rate_limit: { requests_per_minute: 51 } },
        { rate_limit: null },
        { allowed_ips: [] },
        { allowed_ips: ['127.0.0.0/8', '10.0.0.0/8'] },
        { expires_at: null },
        { expires_at: '2901-01-01' },
      ]) {
        expect(await patch(wider)).toMatchObject(lacks('*'));
      }
      const narrower = { rate_limit: { requests_per_hour: 400 }, allowed_ips: ['127.0.0.1'], expires_at: '2800-01-01' };
      expect(await patch(narrower)).toMatchObject({
        status: 200,
        body: { data: { rate_limit: { requests_per_minute: 50, requests_per_hour: 400 }, allowed_ips: ['127.0.0.1'] } },
      });
    });
  });

  it('manage test keys with a live * key, but never live keys with a test key', async () => {
    const made = await create({ environment: 'test' });
    expect(made.key).toMatch(/^service_sk_test_/);
    const body = { name: 'x', scopes: ['read:status'], environment: 'live' };
    const refused = await gateway.api('POST', '/admin/api-keys', body, { key: gateway.testKey });
    expect(refused).toMatchObject({ status: 403, body: { error: { details: { required_scope: '*' } } } });
    const { body: listed } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100', undefined, {
      key: gateway.testKey,
    });
    expect(new Set(listed.data.map(({ environment }) => environment))).toEqual(new Set(['test']));
  });

  it('are listed with filters, order and exact totals', async () => {
    const fresh = await startTestGateway();
    const names = ['a', 'c', 'b'];
    for (const name of names)
      await fresh.api('POST', '/admin/api-keys', { name, scopes: ['read:status'], environment: 'test' });
    const answer = await fresh.api<ApiKeyDto[]>('GET', '/admin/api-keys?sort=name&environment=test&per_page=2&page=1');
    const total = answer.body.meta.pagination.total;
    expect(answer.body).toEqual(expectedPage(expect.anything(), { per_page: 2, total }));
    const mine = await fresh.api<ApiKeyDto[]>('GET', '/admin/api-keys?sort=-name&environment=test&status=active');
    expect(mine.body.data.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(['c', 'b', 'a']);
    expect((await fresh.api('GET', '/admin/api-keys?status=revoked')).body).toEqual(expectedPage([], { total: 0 }));
    expect((await fresh.api('GET', '/admin/api-keys?status=expired')).body).toEqual(expectedPage([], { total: 0 }));
    expect((await fresh.api('GET', '/admin/api-keys?sort=digest')).status).toBe(400);
    await fresh.stop();
  });

  it.each(['expires_at', 'last_used_at'])(
    'without %s are listed last in both directions, page by page',
    async (field) => {
      const fresh = await startTestGateway();
      for (const [name, day] of [
        ['first', 1],
        ['second', 2],
        ['none', 0],
        ['neither', 0],
      ] as const) {
        const expires_at = day > 0 ? `2900-01-0${day}T00:00:00.000Z` : undefined;
        const body = { name, scopes: ['read:status'], environment: 'test', ...(expires_at && { expires_at }) };
        const { body: made } = await fresh.api<CreatedApiKeyDto>('POST', '/admin/api-keys', body);
        if (day > 0)
          await fresh.sql('UPDATE api_keys SET last_used_at = $1 WHERE id = $2', [
            expires_at,
            fromPublicId('api_key', made.data.id),
          ]);
      }
      await fresh.sql(
        "DELETE FROM api_keys WHERE environment = 'test' AND name NOT IN ('first', 'second', 'none', 'neither')",
      );
      const namesBy = async (sort: string) => {
        const pages = [1, 2, 3, 4].map(async (page) => {
          const path = `/admin/api-keys?environment=test&per_page=1&page=${page}&sort=${sort}`;
          return (await fresh.api<ApiKeyDto[]>('GET', path)).body.data[0]!.name;
        });
        return Promise.all(pages);
      };
      expect(await namesBy(field)).toEqual(['first', 'second', 'none', 'neither']);
      expect(await namesBy(`-${field}`)).toEqual(['second', 'first', 'neither', 'none']);
      await fresh.stop();
    },
  );

  it('include at least one active unrestricted key per environment', async () => {
    const fresh = await startTestGateway();
    const list = await fresh.api<ApiKeyDto[]>('GET', '/admin/api-keys?environment=test');
    const [last, ...others] = list.body.data.filter(({ scopes }) => scopes.includes('*'));
    for (const { id } of others) expect((await fresh.api('DELETE', `/admin/api-keys/${id}`)).status).toBe(200);
    const refused = { status: 400, body: { error: { code: 'INVALID_REQUEST' } } };
    const path = `/admin/api-keys/${last!.id}`;
    expect(await fresh.api('DELETE', path)).toMatchObject(refused);
    expect(await fresh.api('PATCH', path, { expires_at: '2001-01-01' })).toMatchObject(refused);
    expect(await fresh.api('PATCH', path, { expires_at: '2900-01-01' })).toMatchObject(refused);
    expect(await fresh.api('PATCH', path, { name: 'still here' })).toMatchObject({ status: 200 });
    const ending = { name: 'ending', scopes: ['*'], environment: 'test', expires_at: '2900-01-01' };
    expect((await fresh.api('POST', '/admin/api-keys', ending)).status).toBe(201);
    expect(await fresh.api('DELETE', path)).toMatchObject(refused);
    const two = await Promise.all(
      ['b', 'c'].map((name) =>
        fresh.api<CreatedApiKeyDto>('POST', '/admin/api-keys', { name, scopes: ['*'], environment: 'test' }),
      ),
    );
    const gone = await Promise.all(
      [last!.id, ...two.map(({ body }) => body.data.id)].map((id) => fresh.api('DELETE', `/admin/api-keys/${id}`)),
    );
    expect(gone.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400]);
    await fresh.stop();
  });

  it('name admin:users in a refusal', async () => {
    const key = await gateway.createKey({ scopes: ['read:status'] });
    const answer = await gateway.api('GET', '/admin/api-keys', undefined, { key });
    expect(answer).toMatchObject(
      expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: 'admin:users', key_scopes: ['read:status'] }),
    );
  });
});
