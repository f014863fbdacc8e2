import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

/** A well-formed id that no resource has. */
const UNKNOWN_ID = '01h455vb4pex5vsknk084sn02q';

const gateway = useGateway();

const api = (method: string, path: string, body?: unknown) => gateway.api(method, path, body, { key: gateway.testKey });
const faultsOf = async (answer: ReturnType<typeof api>) => {
  const { details } = (await answer).body.error;
  const { errors, parameter } = details as { errors?: { parameter: string }[]; parameter?: string };
  const names = errors?.map((fault) => fault.parameter) ?? [parameter!];
  return names.toSorted();
};

describe('a body', () => {
  it.each([
    ['objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)],
    ['lists', `{"message": "Hi", "context": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ])('of ten thousand nested %s is refused', async (_, body) => {
    for (const path of ['/messages/send', '/ai/generate', '/admin/api-keys', '/webhooks']) {
      expect(await api('POST', path, body)).toMatchObject(
        expectedError('INVALID_REQUEST', { reason: 'the body is nested too deeply' }),
      );
    }
  });
});

describe('validation', () => {
  it.each([
    ['PATCH', `/conversations/conv_${UNKNOWN_ID}`, { status: 'lost' }],
    ['PATCH', `/admin/api-keys/key_${UNKNOWN_ID}`, { name: '' }],
    ['PATCH', `/webhooks/wh_${UNKNOWN_ID}`, { enabled: 'perhaps' }],
    ['PATCH', `/webhooks/wh_${UNKNOWN_ID}`, { url: 'https://127.0.0.1/' }],
    ['POST', `/webhooks/wh_${UNKNOWN_ID}/replay`, { since: 'yesterday' }],
    ['GET', `/webhooks/wh_${UNKNOWN_ID}/deliveries?sort=nothing`, undefined],
    ['GET', `/webhooks/wh_${UNKNOWN_ID}/deliveries?start_date=2026-02-01&end_date=2026-01-01`, undefined],
    ['GET', `/conversations/conv_${UNKNOWN_ID}?message_limit=0`, undefined],
    ['GET', `/messages/msg_${UNKNOWN_ID}?colour=red`, undefined],
    ['DELETE', `/webhooks/wh_${UNKNOWN_ID}?colour=red`, undefined],
  ])('happens before existence, whether the id is well-formed or not: %s %s', async (method, path, body) => {
    for (const target of [path, path.replace(UNKNOWN_ID, 'nonsense')]) {
      expect(await api(method, target, body)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER' } },
      });
    }
  });

  it.each([
    ['conversations/conv', 'status, ai_paused, labels, metadata'],
    ['admin/api-keys/key', 'name, tier, expires_at, allowed_ips, rate_limit, ai_budget, ai_models'],
    ['webhooks/wh', 'url, events, accounts, enabled, secret'],
  ])('of a body without changes happens before existence: PATCH %s_…', async (path, fields) => {
    for (const id of [UNKNOWN_ID, 'nonsense']) {
      expect(await api('PATCH', `/${path}_${id}`, {})).toMatchObject(
        expectedError('INVALID_REQUEST', { reason: `the body must have one of ${fields}` }),
      );
    }
  });

  it.each([
    ['PATCH', `/conversations/conv_nonsense`, { status: 'archived' }, 'conversation', 'conv_nonsense'],
    ['GET', `/messages/msg_${UNKNOWN_ID}`, undefined, 'message', `msg_${UNKNOWN_ID}`],
  ])('that succeeds is followed by existence: %s %s', async (method, path, body, resource, id) => {
    expect(await api(method, path, body)).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource, id }));
  });

  it('happens after the scope check', async () => {
    const key = await gateway.createKey({ scopes: ['read:status'] });
    const answer = await gateway.api('GET', '/messages?colour=red', undefined, { key });
    expect(answer.status).toBe(403);
  });
});

describe('all faults are reported at once', () => {
  it.each([
    ['http://example.com/', 'another scheme'],
    ['example.com', 'no URL'],
    ['https://me:secret@example.com/', 'credentials'],
    ['https://10.0.0.1/', 'a private address'],
  ])('of a webhook, including its URL: %s, %s', async (url) => {
    const events = ['message.eaten'];
    expect(await faultsOf(api('POST', '/webhooks', { url, events, secret: 'short' }))).toEqual([
      'events[0]',
      'secret',
      'url',
    ]);
    expect(await faultsOf(api('POST', '/webhooks', { url, events: ['*'] }))).toEqual(['url']);
  });

  it.each([
    ['POST', '/webhooks', { url: 'https://example.com/', events: ['*'], secret: 'a secret word' }],
    ['PUT', '/ai/providers/openai', { api_key: 'sk a secret word' }],
    ['POST', '/dashboard/exchange', { code: 'a secret word'.repeat(10) }],
    [
      'POST',
      '/integrations',
      { platform: 'telegram', name: 'Shop', credentials: { bot_token: 'a secret word'.repeat(400) } },
    ],
  ])('without the value of a secret: %s %s', async (method, path, body) => {
    const { status, body: answer } = await api(method, path, body);
    expect(status).toBe(400);
    expect(answer.error.details).toMatchObject({ parameter: expect.any(String), reason: expect.any(String) });
    expect(JSON.stringify(answer)).not.toContain('secret word');
  });

  it('of a list, including order and dates', async () => {
    const query = 'page=0&sort=content&start_date=2026-02-01&end_date=2026-01-01&colour=red';
    expect(await faultsOf(api('GET', `/messages?${query}`))).toEqual(['colour', 'end_date', 'page', 'sort']);
  });

  it('of a key, including an expiry in the past', async () => {
    const body = { name: '', scopes: ['read:nothing'], expires_at: '2020-01-01' };
    expect(await faultsOf(api('POST', '/admin/api-keys', body))).toEqual(['expires_at', 'name', 'scopes[0]']);
  });

  it('of an AI request, including a context that is too long in total, counted in characters', async () => {
    const context = (content: string) => [
      { role: 'user', content },
      { role: 'assistant', content },
    ];
    const tooLong = api('POST', '/ai/generate', { message: '', context: context('x'.repeat(100_001)) });
    expect(await faultsOf(tooLong)).toEqual(['context', 'message']);
    const answer = await api('POST', '/ai/generate', { message: 'Hi', context: context('🦊'.repeat(100_000)) });
    expect(answer.status).toBe(200);
  });

  it('of a query where none is accepted', async () => {
    for (const [method, path, body, ...ofBody] of [
      ['GET', '/integrations', undefined],
      ['GET', '/event-types', undefined],
      ['GET', '/admin/settings', undefined],
      ['POST', '/messages/send', {}, 'message', 'platform', 'recipient'],
    ] as const) {
      const answer = api(method, `${path}?colour=red&constructor=1`, body);
      expect(await faultsOf(answer)).toEqual(['colour', 'constructor', ...ofBody]);
    }
  });

  it('while a key in the query is accepted', async () => {
    const answer = await gateway.api('GET', `/integrations?api_key=${gateway.testKey}`, undefined, { key: null });
    expect(answer.status).toBe(200);
  });
});
