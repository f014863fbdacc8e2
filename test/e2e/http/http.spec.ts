import { fromPublicId } from '#contracts';
import { digestKey, generateKey } from '../../../src/api-keys/key-format';
import { DeploymentSecrets } from '../../../src/core/secrets/deployment-secrets';
import { anId, expectedError, expectedPage } from '../../support/expected';
import { eventually } from '../../support/eventually';
import { startTestGateway, useGateway } from '../../support/gateway';

const INVALID_KEY = expectedError('INVALID_API_KEY', null);
const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };

const gateway = useGateway();

/** With a test key, so that whatever is accepted goes to the sandbox. */
const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  gateway.api(method, path, body, { key: gateway.testKey, headers });
const send = (body: unknown, headers?: Record<string, string>) => api('POST', '/messages/send', body, headers);

describe('a response', () => {
  it('has the envelope, with the request id of the header', async () => {
    const answer = await api('GET', '/messages');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(expectedPage([], { total: 0 }));
    expect(answer.headers['x-request-id']).toBe(answer.body.meta.request_id);
    const error = await api('GET', '/messages?page=0');
    expect(error.headers['x-request-id']).toBe(error.body.meta.request_id);
    expect(error.body.meta.request_id).not.toBe(answer.body.meta.request_id);
  });

  it("ignores a client's request id", async () => {
    const { headers } = await api('GET', '/messages', undefined, { 'x-request-id': 'mine' });
    expect(headers['x-request-id']).toEqual(anId('request'));
  });

  it.each(['/messages', '/nowhere', '/health/live', '/docs-json'])('of %s has the security headers', async (path) => {
    const { headers } = await api('GET', path);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options'] ?? headers['content-security-policy']).toBeDefined();
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it.each(['/messages', '/messages?page=0', '/nowhere'])('of /api/v1%s is not cached', async (path) => {
    expect((await api('GET', path)).headers['cache-control']).toBe('no-store');
  });

  it('of /health needs no key', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await gateway.api('GET', path, undefined, { key: null });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ status: 'ok' });
    }
  });
});

describe('an API key', () => {
  const withKey = (key: string | null, path = '/messages', headers?: Record<string, string>) =>
    gateway.api('GET', path, undefined, { key, headers });

  it.each([
    ['missing', null],
    ['malformed', 'service_sk_live_short'],
    ['unknown', generateKey('live')],
  ])('that is %s is refused, without meta', async (_, key) => {
    expect(await withKey(key)).toMatchObject(INVALID_KEY);
    expect((await withKey(key)).body).toEqual(INVALID_KEY.body);
  });

  it('may be in the query', async () => {
    expect((await withKey(null, `/messages?api_key=${gateway.liveKey}`)).status).toBe(200);
    expect((await withKey(null, `/messages?api_key=${generateKey('live')}`)).body).toEqual(INVALID_KEY.body);
  });

  it('in the header takes precedence over one in the query', async () => {
    expect((await withKey(gateway.liveKey, `/messages?api_key=${generateKey('live')}`)).status).toBe(200);
    expect((await withKey(generateKey('live'), `/messages?api_key=${gateway.liveKey}`)).status).toBe(401);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b', 'nonsense'])(
    'in the query is ignored if the header is %p',
    async (authorization) => {
      const answer = await withKey(null, `/messages?api_key=${gateway.liveKey}`, { authorization });
      expect(answer.body).toEqual(INVALID_KEY.body);
    },
  );

  it('that has expired is refused with the time', async () => {
    const expiresAt = new Date(Date.now() - 1_000);
    const answer = await withKey(await gateway.createKey({ expiresAt }));
    expect(answer).toMatchObject(expectedError('API_KEY_EXPIRED', { expired_at: expiresAt.toISOString() }));
    expect(answer.body.meta).toBeUndefined();
  });

  it('is bound to its addresses', async () => {
    const elsewhere = await withKey(await gateway.createKey({ allowedIps: ['203.0.113.0/24'] }));
    const details = { request_ip: '127.0.0.1', allowed_ips: ['203.0.113.0/24'] };
    expect(elsewhere).toMatchObject(expectedError('IP_NOT_ALLOWED', details));
    expect(elsewhere.body.meta).toBeUndefined();
    expect((await withKey(await gateway.createKey({ allowedIps: ['127.0.0.0/8'] }))).status).toBe(200);
  });

  it('needs the exact scope of the operation', async () => {
    const key = await gateway.createKey({ scopes: ['write:messages', 'read:status'] });
    const answer = await withKey(key);
    const details = { required_scope: 'read:messages', key_scopes: ['write:messages', 'read:status'] };
    expect(answer).toMatchObject(expectedError('INSUFFICIENT_PERMISSIONS', details));
    expect(answer.body.meta).toBeUndefined();
    expect((await withKey(key, '/status')).status).toBe(200);
  });

  it('sees nothing of the other environment', async () => {
    const sent = await send(SEND);
    const { message_id } = sent.body.data as { message_id: string };
    expect((await withKey(gateway.testKey, `/messages/${message_id}`)).status).toBe(200);
    expect(await withKey(gateway.liveKey, `/messages/${message_id}`)).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id: message_id }),
    );
  });

  it('has a limit, with headers and the time to wait', async () => {
    const key = await gateway.createKey({ requestsPerMinute: 2, requestsPerHour: 100 });
    const first = await withKey(key);
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    expect(Math.abs(Number(first.headers['x-ratelimit-reset']) - (Date.now() / 1_000 + 60))).toBeLessThan(5);
    expect((await withKey(key)).headers['x-ratelimit-remaining']).toBe('0');
    const refused = await withKey(key, '/nowhere').then(() => withKey(key));
    const { error } = refused.body;
    expect(refused.status).toBe(429);
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { limit: 2, window_seconds: 60 } });
    expect(refused.headers['retry-after']).toBe(String(error.details!['retry_after_seconds']));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
  });

  it('is checked in order: address, limit, scope, then the request', async () => {
    const key = await gateway.createKey({ scopes: ['read:status'], requestsPerMinute: 1 });
    const first = await gateway.api('POST', '/messages/send', '{broken', { key });
    expect(first.body.error.code).toBe('INSUFFICIENT_PERMISSIONS');
    const second = await gateway.api('POST', '/messages/send', '{broken', { key });
    expect(second.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
  });
});

describe('a route', () => {
  it.each([
    ['an unknown path', 'GET', '/nowhere'],
    ['a wrong method', 'DELETE', '/messages'],
    ['an unknown version', 'GET', '/api/v2/messages'],
    ['the bare prefix', 'GET', '/api'],
    ['an empty id', 'GET', '/messages/'],
  ])('that is %s is not found, with or without a key', async (_, method, path) => {
    const id = `${method} ${path.startsWith('/api') ? path : `/api/v1${path}`}`;
    const expected = expectedError('RESOURCE_NOT_FOUND', { resource: 'route', id });
    for (const key of [gateway.liveKey, null, 'nonsense']) {
      const { status, body } = await gateway.api(method, path, undefined, { key });
      expect({ status, body }).toEqual(expected);
    }
  });

  it.each([
    ['/messages/nonsense', 'message'],
    ['/messages/conv_01h455vb4pex5vsknk084sn02q', 'message'],
    ['/messages/msg_01h455vb4pex5vsknk084sn02q', 'message'],
    ['/messages/msg_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'message'],
    ['/messages/constructor', 'message'],
    ['/conversations/msg_01h455vb4pex5vsknk084sn02q', 'conversation'],
    ["/conversations/'; DROP TABLE messages; --", 'conversation'],
  ])('finds nothing under the id %s', async (path, resource) => {
    const [, collection, id] = path.split('/');
    const answer = await api('GET', `/${collection}/${encodeURIComponent(id!)}`);
    expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource, id: id! }));
  });
});

describe('the audit log', () => {
  it('has a row for each request, including refused ones, without query and key', async () => {
    const { testKey } = gateway;
    const ids = [
      (await gateway.api('GET', `/messages?api_key=${testKey}&page=1`, undefined, { key: null })).headers,
      (await gateway.api('GET', '/messages', undefined, { key: null })).headers,
      (await api('GET', '/nowhere?secret=1')).headers,
      (await send('{')).headers,
    ].map((headers) => headers['x-request-id'] as string);
    const masked = `service_sk_test_…${testKey.slice(-4)}`;
    await eventually('the rows are written', async () => {
      const rows = await gateway.sql(
        `SELECT method, path, route, client_ip, status, masked_key FROM audit_log
         WHERE request_id = ANY($1::uuid[]) ORDER BY request_id`,
        [ids.map((id) => fromPublicId('request', id))],
      );
      expect(rows).toEqual([
        row('GET', '/api/v1/messages', 200, masked),
        row('GET', '/api/v1/messages', 401, null),
        { ...row('GET', '/api/v1/nowhere', 404, masked), route: null },
        row('POST', '/api/v1/messages/send', 400, masked),
      ]);
    });
    const dump = JSON.stringify(await gateway.sql('SELECT * FROM audit_log'));
    expect(dump).not.toContain(testKey);
    expect(dump).not.toContain('secret=1');
  });

  it('names the presented key, and separates live from test, even for refused requests', async () => {
    const keys = { revoked: '', expired: '', unknown: generateKey('test') };
    keys.revoked = await gateway.createKey({ environment: 'test' });
    keys.expired = await gateway.createKey({ environment: 'test', expiresAt: new Date(Date.now() - 1_000) });
    await gateway.sql('UPDATE api_keys SET revoked_at = now() WHERE digest = $1', [digestOf(keys.revoked)]);
    const ids: string[] = [];
    const request = async (key: string, method = 'GET', path = '/messages') => {
      const { status, headers } = await gateway.api(method, path, undefined, { key });
      ids.push(headers['x-request-id'] as string);
      return status;
    };
    expect(await request(keys.revoked)).toBe(401);
    expect(await request(keys.expired)).toBe(401);
    expect(await request(keys.unknown)).toBe(401);
    expect(await request(gateway.testKey, 'DELETE')).toBe(404);
    expect(await request(keys.unknown, 'GET', '/nowhere')).toBe(404);
    expect(await request('service_sk_test_short')).toBe(401);
    await eventually('the rows are written', async () => {
      const rows = await gateway.sql(
        `SELECT a.environment, a.masked_key, k.digest FROM audit_log a LEFT JOIN api_keys k ON k.id = a.api_key_id
         WHERE request_id = ANY($1::uuid[]) ORDER BY request_id`,
        [ids.map((id) => fromPublicId('request', id))],
      );
      const presented = (key: string, isFound = false) => ({
        environment: 'test',
        masked_key: `service_sk_test_…${key.slice(-4)}`,
        digest: isFound ? digestOf(key) : null,
      });
      expect(rows).toEqual([
        presented(keys.revoked, true),
        presented(keys.expired, true),
        presented(keys.unknown),
        presented(gateway.testKey),
        presented(keys.unknown),
        { environment: null, masked_key: null, digest: null },
      ]);
    });
  });

  const digestOf = (key: string) => digestKey(gateway.app.get(DeploymentSecrets).pepper, key);

  const row = (method: string, path: string, status: number, masked_key: string | null) => ({
    method,
    path,
    route: path,
    client_ip: '127.0.0.1',
    status,
    masked_key,
  });
});

describe('HTTPS', () => {
  it('is required if configured, before the key is checked, except for /health', async () => {
    const strict = await startTestGateway({ env: { REQUIRE_HTTPS: 'true', TRUST_PROXY: '127.0.0.0/8' } });
    const plain = await strict.api('GET', '/messages');
    expect(plain).toMatchObject(expectedError('INVALID_REQUEST', { reason: 'HTTPS is required' }));
    expect((await strict.api('GET', '/health/ready')).status).toBe(200);
    const forwarded = await strict.api('GET', '/messages', undefined, { headers: { 'x-forwarded-proto': 'https' } });
    expect(forwarded.status).toBe(200);
    expect(forwarded.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
    expect(await strict.sql('SELECT 1 FROM audit_log WHERE masked_key IS NOT NULL AND status = 400')).toEqual([]);
    await strict.stop();
  });

  it('cannot be claimed by an untrusted proxy, nor can an address', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
    const answer = await gateway.api('GET', '/messages', undefined, { key, headers });
    expect(answer.body.error.details).toMatchObject({ request_ip: '127.0.0.1' });
    expect(answer.headers['strict-transport-security']).toBeUndefined();
  });
});
