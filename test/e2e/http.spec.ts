import { generateKey } from '../../src/api-keys/key-format';
import { aTimestamp, anId, expectedError, expectedPage, expectedSuccess } from '../support/expected';
import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';

const INVALID_KEY = expectedError('INVALID_API_KEY', null);
const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

/** With a test key, so that whatever is accepted goes to the sandbox. */
const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  gateway.api<unknown>(method, path, body, { key: gateway.testKey, headers });
const send = (body: unknown, headers?: Record<string, string>) => api('POST', '/messages/send', body, headers);
const refusal = async (answer: Promise<{ status: number; body: { error: { code: string; details: unknown } } }>) => {
  const { status, body } = await answer;
  return { status, code: body.error?.code, details: body.error?.details };
};

describe('an answer', () => {
  it('has its envelope, with the request id of the header', async () => {
    const answer = await api('GET', '/messages');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(expectedPage([], { total: 0 }));
    expect(answer.headers['x-request-id']).toBe(answer.body.meta.request_id);
    const error = await api('GET', '/messages?page=0');
    expect(error.headers['x-request-id']).toBe(error.body.meta.request_id);
    expect(error.body.meta.request_id).not.toBe(answer.body.meta.request_id);
  });

  it("does not take over a client's request id", async () => {
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

  it('needs no key at /health', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await gateway.api('GET', path, undefined, { key: null });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ status: 'ok' });
    }
  });
});

describe('a key', () => {
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

  it('may come in the query', async () => {
    expect((await withKey(null, `/messages?api_key=${gateway.liveKey}`)).status).toBe(200);
    expect((await withKey(null, `/messages?api_key=${generateKey('live')}`)).body).toEqual(INVALID_KEY.body);
  });

  it('of the header wins over that of the query', async () => {
    expect((await withKey(gateway.liveKey, `/messages?api_key=${generateKey('live')}`)).status).toBe(200);
    expect((await withKey(generateKey('live'), `/messages?api_key=${gateway.liveKey}`)).status).toBe(401);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b', 'nonsense'])(
    'of the query is not fallen back to from a header like %p',
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

  it('needs the scope of the operation, literally', async () => {
    const key = await gateway.createKey({ scopes: ['write:messages', 'read:status'] });
    const answer = await withKey(key);
    const details = { required_scope: 'read:messages', key_scopes: ['write:messages', 'read:status'] };
    expect(answer).toMatchObject(expectedError('INSUFFICIENT_PERMISSIONS', details));
    expect(answer.body.meta).toBeUndefined();
    expect((await withKey(key, '/status')).status).toBe(200);
  });

  it('of one environment sees nothing of the other', async () => {
    const sent = await send(SEND);
    const { message_id } = sent.body.data as { message_id: string };
    expect((await withKey(gateway.testKey, `/messages/${message_id}`)).status).toBe(200);
    expect(await withKey(gateway.liveKey, `/messages/${message_id}`)).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id: message_id }),
    );
  });

  it('has its limit, told in headers, and how long to wait', async () => {
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
  ])('that is %s is not found, key or no key', async (_, method, path) => {
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
  ])('with the id of %s finds nothing', async (path, resource) => {
    const [, collection, id] = path.split('/');
    const answer = await api('GET', `/${collection}/${encodeURIComponent(id!)}`);
    expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource, id: id! }));
  });

  it('with a malformed escape in its path is refused in the same form', async () => {
    const { status, body } = await api('GET', '/messages/%E0%A4%A');
    expect([400, 404]).toContain(status);
    expect(body).toMatchObject({ success: false, error: { code: expect.any(String) as string } });
  });
});

describe('a body', () => {
  const malformed = (reason: string | RegExp) => ({
    status: 400,
    code: 'INVALID_REQUEST',
    details: { reason: expect.stringMatching(reason) as string },
  });

  it('that is not JSON is refused, a stranger for his key', async () => {
    expect(await refusal(send('{"platform": '))).toEqual(malformed('not valid JSON'));
    const stranger = await gateway.api('POST', '/messages/send', '{"platform": ', { key: null });
    expect(stranger.body).toEqual(INVALID_KEY.body);
  });

  it.each([
    ['an array', '[]'],
    ['a string', '"text"'],
    ['null', 'null'],
    ['a number', '7'],
  ])('that is %s is refused', async (_, body) => {
    expect(await refusal(send(body))).toEqual(malformed(/JSON object/));
  });

  it('of another media type is refused', async () => {
    expect(await refusal(send('platform=telegram', { 'content-type': 'application/x-www-form-urlencoded' }))).toEqual(
      malformed('application/json'),
    );
    expect(await refusal(send(JSON.stringify(SEND), { 'content-type': 'text/plain' }))).toEqual(
      malformed('application/json'),
    );
  });

  it('over 1 MiB is refused', async () => {
    expect(await refusal(send({ ...SEND, message: 'x'.repeat(1_048_577) }))).toEqual(malformed('larger than 1 MiB'));
  });

  it('with unknown fields is refused with their names', async () => {
    expect(await refusal(send({ ...SEND, colour: 'red', options: { volume: 11 } }))).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      details: { fields: ['colour', 'options.volume'] },
    });
  });

  it.each(['{"__proto__": {"platform": "telegram"}}', '{"constructor": {"prototype": {}}}'])(
    'with prototype keys is refused: %s',
    async (body) => {
      expect(await refusal(send(body))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
      expect(({} as Record<string, unknown>)['platform']).toBeUndefined();
    },
  );

  it('without a required field is refused with its name, several with all of them', async () => {
    const { message, ...rest } = SEND;
    expect(message).toBeDefined();
    expect(await refusal(send(rest))).toEqual({
      status: 400,
      code: 'MISSING_PARAMETER',
      details: { parameter: 'message' },
    });
    const nothing = await refusal(send({}));
    expect(nothing).toMatchObject({ status: 400, code: 'MISSING_PARAMETER' });
    const { errors } = nothing.details as { errors: { parameter: string }[] };
    expect(errors.map(({ parameter }) => parameter).toSorted()).toEqual(['message', 'platform', 'recipient']);
  });

  it.each([
    ['platform', { ...SEND, platform: 'fax' }],
    ['platform', { ...SEND, platform: 'constructor' }],
    ['platform', { ...SEND, platform: 'toString' }],
    ['platform', { ...SEND, platform: 7 }],
    ['platform', { ...SEND, platform: null }],
    ['recipient', { ...SEND, recipient: '' }],
    ['recipient', { ...SEND, recipient: 7 }],
    ['recipient', { ...SEND, recipient: 'x'.repeat(257) }],
    ['message', { ...SEND, message: '' }],
    ['message', { ...SEND, message: 'x'.repeat(16_385) }],
    ['message', { ...SEND, message: 'a\u0000b' }],
    ['message', { ...SEND, message: 'a\ud800b' }],
    ['options', { ...SEND, options: 'loud' }],
    ['options', { ...SEND, options: [] }],
    ['options.parse_mode', { ...SEND, options: { parse_mode: 'bbcode' } }],
    ['options.disable_notification', { ...SEND, options: { disable_notification: 'perhaps' } }],
    ['options.reply_to', { ...SEND, options: { reply_to: 'msg_01h455vb4pex5vsknk084sn02q' } }],
  ])('with an invalid %s is refused with its name and the reason: %#', async (parameter, body) => {
    const { status, code, details } = await refusal(send(JSON.stringify(body)));
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' });
    expect(details).toMatchObject({ parameter, reason: expect.stringMatching(/^must /) as string });
  });

  it('with several faults is refused with all of them', async () => {
    const { code, details } = await refusal(send({ platform: 'fax', recipient: '', options: { parse_mode: 7 } }));
    expect(code).toBe('INVALID_PARAMETER');
    const { errors } = details as { errors: { parameter: string }[] };
    expect(errors.map(({ parameter }) => parameter).toSorted()).toEqual([
      'message',
      'options.parse_mode',
      'platform',
      'recipient',
    ]);
  });

  it('may be as long as the limit, in code points, and name Telegram by its other word', async () => {
    const message = '🦊'.repeat(16_384);
    const answer = await send({ ...SEND, platform: 'the service', message });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ platform: 'telegram', status: 'sent' });
    const filtered = await api('GET', '/messages?platform=the%20service&per_page=1');
    expect(filtered.body.data).toMatchObject([{ platform: 'telegram', content: message }]);
  });
});

describe('a query', () => {
  it.each([
    ['page', 'page=0'],
    ['page', 'page=-1'],
    ['page', 'page=1.5'],
    ['page', 'page=one'],
    ['page', 'page='],
    ['page', `page=${2 ** 31 + 1}`],
    ['page', 'page=1&page=2'],
    ['per_page', 'per_page=0'],
    ['per_page', 'per_page=101'],
    ['platform', 'platform=fax'],
    ['platform', 'platform='],
    ['direction', 'direction=sideways'],
    ['start_date', 'start_date=yesterday'],
    ['start_date', 'start_date=2026-02-30'],
    ['start_date', 'start_date=2026-13-01'],
    ['end_date', 'end_date=20260101'],
    ['end_date', 'start_date=2026-02-01&end_date=2026-01-01'],
    ['sort', 'sort=content'],
    ['sort', 'sort=created_at,created_at'],
    ['sort', 'sort=constructor'],
    ['sort', 'sort='],
    ['colour', 'colour=red'],
    ['constructor', 'constructor=1'],
    ['__proto__', '__proto__=1'],
  ])('with an invalid %s is refused with its name: %s', async (parameter, query) => {
    const { status, code, details } = await refusal(api('GET', `/messages?${query}`));
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' });
    expect(details).toMatchObject({ parameter, reason: expect.any(String) as string });
  });

  it.each(['include_messages=perhaps', 'message_limit=0', 'message_limit=201'])(
    'of a conversation is checked before the conversation is looked for: %s',
    async (query) => {
      const answer = await api('GET', `/conversations/conv_01h455vb4pex5vsknk084sn02q?${query}`);
      expect(answer.body.error.code).toBe('INVALID_PARAMETER');
    },
  );

  it('may name the last page, one past the end, and a conversation that does not exist', async () => {
    const past = await api('GET', `/messages?page=${2 ** 31}&per_page=100&platform=discord`);
    expect(past.status).toBe(200);
    expect(past.body).toEqual(expectedPage([], { page: 2 ** 31, per_page: 100, total: 0 }));
    for (const id of ['conv_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const none = await api('GET', `/messages?conversation_id=${id}`);
      expect(none.body).toEqual(expectedPage([], { total: 0 }));
    }
  });
});

describe('a list', () => {
  it('has pages that follow each other, sorted as asked', async () => {
    const key = gateway.testKey;
    const before = (await api('GET', '/messages?platform=whatsapp')).body.meta.pagination.total;
    for (const message of ['a', 'b', 'c']) await send({ platform: 'whatsapp', recipient: '1', message });
    const page = async (number: number, sort: string) => {
      const { body } = await gateway.api<{ content: string }[]>(
        'GET',
        `/messages?platform=whatsapp&per_page=2&page=${number}&sort=${sort}`,
        undefined,
        { key },
      );
      expect(body.meta.pagination).toEqual({
        page: number,
        per_page: 2,
        total: before + 3,
        total_pages: Math.ceil((before + 3) / 2),
      });
      return body.data.map(({ content }) => content);
    };
    expect([...(await page(1, 'created_at')), ...(await page(2, 'created_at'))]).toEqual(['a', 'b', 'c']);
    expect([...(await page(1, '-created_at')), ...(await page(2, '-created_at'))]).toEqual(['c', 'b', 'a']);
    expect(await page(3, '-created_at')).toEqual([]);
  });

  it('is cut by dates, a bare end date with its whole day', async () => {
    await send({ platform: 'discord', recipient: '1', message: 'today' });
    const today = new Date().toISOString().slice(0, 10);
    const total = async (query: string) =>
      (await api('GET', `/messages?platform=discord&${query}`)).body.meta.pagination.total;
    expect(await total(`start_date=${today}&end_date=${today}`)).toBe(1);
    expect(await total('end_date=2020-01-01')).toBe(0);
    expect(await total('start_date=2020-01-01T00:00:00%2B02:00')).toBe(1);
    expect(await total('start_date=2100-01-01')).toBe(0);
  });
});

describe('the audit log', () => {
  it('has a row of each request, refused ones too, without query and key', async () => {
    const { testKey } = gateway;
    const ids = [
      (await gateway.api('GET', `/messages?api_key=${testKey}&page=1`, undefined, { key: null })).headers,
      (await gateway.api('GET', '/messages', undefined, { key: null })).headers,
      (await api('GET', '/nowhere?secret=1')).headers,
      (await send('{')).headers,
    ].map((headers) => headers['x-request-id'] as string);
    const masked = `service_sk_test_…${testKey.slice(-4)}`;
    await eventually('the rows are written', async () => {
      const rows = await gateway.sql<Record<string, unknown>>(
        `SELECT method, path, route, client_ip, status, masked_key, request_id FROM audit_log ORDER BY created_at DESC, id DESC LIMIT 4`,
      );
      expect(rows.reverse().map(({ request_id: _, ...row }) => row)).toEqual([
        row('GET', '/api/v1/messages', 200, masked),
        row('GET', '/api/v1/messages', 401, null),
        { ...row('GET', '/api/v1/nowhere', 404, null), route: null },
        row('POST', '/api/v1/messages/send', 400, masked),
      ]);
    });
    expect(new Set(ids).size).toBe(4);
    const dump = JSON.stringify(await gateway.sql('SELECT * FROM audit_log'));
    expect(dump).not.toContain(testKey);
    expect(dump).not.toContain('secret=1');
  });

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
  it('is required where it is configured, before the key is looked at; not of /health', async () => {
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

  it('is not believed of a proxy that is not trusted, nor is the address', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
    const answer = await gateway.api('GET', '/messages', undefined, { key, headers });
    expect(answer.body.error.details).toMatchObject({ request_ip: '127.0.0.1' });
    expect(answer.headers['strict-transport-security']).toBeUndefined();
  });
});

describe('the AI endpoint', () => {
  it('checks its context item by item', async () => {
    const body = {
      message: 'Hi',
      context: [
        { role: 'user', content: 'a' },
        { role: 'system', content: '' },
      ],
    };
    const { details } = await refusal(api('POST', '/ai/generate', body));
    const { errors } = details as { errors: { parameter: string }[] };
    expect(errors.map(({ parameter }) => parameter)).toEqual(['context[1].role', 'context[1].content']);
  });

  it('answers a test key from the sandbox, a live key without a provider with the reason', async () => {
    const answer = await api('POST', '/ai/generate', { message: 'Hi' });
    expect(answer.body).toEqual(
      expectedSuccess({
        response: expect.stringMatching(/sandbox/i) as string,
        model: expect.any(String) as string,
        tokens: { input: expect.any(Number) as number, output: expect.any(Number) as number },
        latency_ms: expect.any(Number) as number,
      }),
    );
    expect(answer.body.meta.timestamp).toEqual(aTimestamp());
    const live = await gateway.api('POST', '/ai/generate', { message: 'Hi' });
    expect(live.status).toBe(500);
    expect(live.body.error).toMatchObject({
      code: 'AI_PROVIDER_ERROR',
      details: { provider: 'anthropic', retryable: false },
    });
  });
});
