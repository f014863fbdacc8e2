import { aTimestamp, expectedError, expectedPage, expectedSuccess } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };

const gateway = useGateway();

/** With a test key, so that whatever is accepted goes to the sandbox. */
const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  gateway.api(method, path, body, { key: gateway.testKey, headers });
const send = (body: unknown, headers?: Record<string, string>) => api('POST', '/messages/send', body, headers);
const refusal = async (answer: Promise<{ status: number; body: { error: { code: string; details: unknown } } }>) => {
  const { status, body } = await answer;
  return { status, code: body.error?.code, details: body.error?.details };
};

describe('a body', () => {
  const malformed = (reason: string | RegExp) => ({
    status: 400,
    code: 'INVALID_REQUEST',
    details: { reason: expect.stringMatching(reason) as string },
  });

  it('that is not JSON is refused, but a missing key first', async () => {
    expect(await refusal(send('{"platform": '))).toEqual(malformed('not valid JSON'));
    const stranger = await gateway.api('POST', '/messages/send', '{"platform": ', { key: null });
    expect(stranger.body).toEqual(expectedError('INVALID_API_KEY', null).body);
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

  it.each([
    'application/vnd.api+json',
    'application/problem+json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset="utf-16"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; profile=x',
    'application/json, text/plain',
    'application/jsonx',
    'text/json',
  ])('of the media type %s is refused', async (type) => {
    expect(await refusal(send(JSON.stringify(SEND), { 'content-type': type }))).toEqual(malformed('application/json'));
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
  ])('of the media type %s is taken', async (type) => {
    expect(await send(JSON.stringify(SEND), { 'content-type': type })).toMatchObject({ status: 200 });
  });

  it('that is longer than any valid one is refused', async () => {
    expect(await refusal(send({ ...SEND, message: 'x'.repeat(1_048_577) }))).toEqual(malformed('larger than 200 KiB'));
  });

  it('with unknown fields is refused with their names', async () => {
    expect(await refusal(send({ ...SEND, colour: 'red', options: { volume: 11 } }))).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      details: { fields: ['colour', 'options.volume'] },
    });
  });

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

  it('may be as long as the limit, in code points, and use the alias of Telegram', async () => {
    const message = '🦊'.repeat(16_384);
    const answer = await send({ ...SEND, platform: 'the service', message });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ platform: 'telegram', status: 'sent' });
    const filtered = await api('GET', '/messages?platform=the%20service&per_page=1');
    expect(filtered.body.data).toMatchObject([{ platform: 'telegram', content: message }]);
  });
});

describe('a query', () => {
  it('is refused together with the body if the operation accepts none', async () => {
    const unknown = { parameter: 'x', reason: 'is not a known parameter' };
    expect(await refusal(api('POST', '/messages/send?x=1', { ...SEND, platform: 'fax' }))).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { errors: [unknown, { parameter: 'platform' }] },
    });
    expect(await refusal(api('POST', '/messages/send?x=1', { ...SEND, message: undefined }))).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { errors: [unknown, { parameter: 'message' }] },
    });
    expect(await refusal(api('POST', '/messages/send?x=1', { ...SEND, colour: 'red' }))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { fields: ['colour'] },
    });
    for (const answer of [
      api('POST', '/messages/send?x=1', SEND),
      api('PATCH', '/admin/settings?x=1', { ai: 7 }),
      api('POST', '/integrations/telegram/reconnect?x=1'),
    ])
      expect(await refusal(answer)).toMatchObject({ code: 'INVALID_PARAMETER', details: unknown });
  });

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

  it('with a duplicate sort is refused with the valid form', async () => {
    const { details } = await refusal(api('GET', '/messages?sort=created_at&sort=platform'));
    expect(details).toEqual({ parameter: 'sort', reason: 'must be a string' });
  });

  it.each(['include_messages=perhaps', 'message_limit=0', 'message_limit=201'])(
    'of a conversation is validated before the conversation is looked up: %s',
    async (query) => {
      const answer = await api('GET', `/conversations/conv_01h455vb4pex5vsknk084sn02q?${query}`);
      expect(answer.body.error.code).toBe('INVALID_PARAMETER');
    },
  );

  it('may request the last page, a later one, and a missing conversation', async () => {
    const past = await api('GET', `/messages?page=${2 ** 31}&per_page=100&platform=discord`);
    expect(past.status).toBe(200);
    expect(past.body).toEqual(expectedPage([], { page: 2 ** 31, per_page: 100, total: 0 }));
    for (const id of ['conv_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const none = await api('GET', `/messages?conversation_id=${id}`);
      expect(none.body).toEqual(expectedPage([], { total: 0 }));
    }
  });
});

describe('a list request', () => {
  it('returns consecutive pages in the requested order', async () => {
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

  it('is limited by dates, where an end date includes its whole day', async () => {
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

describe('a filter', () => {
  it.each([
    ['/messages', 'platform=all&direction=all'],
    ['/messages', 'platform=all&sort=created_at'],
    ['/messages', 'direction=all&sort=created_at'],
    ['/conversations', 'platform=all&status=all'],
  ])('of %s accepts every value: %s', async (path, query) => {
    await send({ platform: 'whatsapp', recipient: '1', message: 'a' });
    await send({ platform: 'discord', recipient: '1', message: 'b' });
    const total = async (list: string) => (await api('GET', list)).body.meta.pagination.total;
    expect(await total(`${path}?${query}`)).toBe(await total(path));
    expect(await total(path)).toBeGreaterThanOrEqual(2);
  });
});

describe('an answer to a message', () => {
  it('goes only to its own conversation', async () => {
    const sent = await api('POST', '/messages/send', { ...SEND, platform: 'whatsapp', recipient: '+49 170 1234567' });
    const { message_id: reply_to } = sent.body.data as { message_id: string };
    const answering = (platform: string, recipient: string, key = gateway.testKey) =>
      gateway.api('POST', '/messages/send', { platform, recipient, message: 'Yes', options: { reply_to } }, { key });
    expect((await answering('whatsapp', '+49 170 1234567')).status).toBe(200);
    const reason = 'must be the id of a message of this conversation';
    for (const elsewhere of [
      answering('whatsapp', '+49 170 7654321'),
      answering('telegram', '+49 170 1234567'),
      answering('whatsapp', '+49 170 1234567', gateway.liveKey),
    ]) {
      expect(await refusal(elsewhere)).toEqual({
        status: 400,
        code: 'INVALID_PARAMETER',
        details: { parameter: 'options.reply_to', reason, value: reply_to },
      });
    }
  });
});

describe('the AI endpoint', () => {
  it('validates its context item by item', async () => {
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

  it('answers a test key from the sandbox, and says why a live key gets no answer without a provider', async () => {
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
