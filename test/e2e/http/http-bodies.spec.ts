import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };
const FORM = 'application/x-www-form-urlencoded';

const gateway = useGateway();

const api = (method: string, path: string, body?: string, headers?: Record<string, string>) =>
  gateway.api(method, path, body, { key: gateway.testKey, headers });

describe('fields named like inherited object properties', () => {
  afterEach(() => {
    expect(({} as Record<string, unknown>)['platform']).toBeUndefined();
    expect(({} as Record<string, unknown>)['input']).toBeUndefined();
  });

  it.each([
    ['/messages/send', '{"__proto__": {"platform": "telegram"}}', ['__proto__']],
    ['/messages/send', '{"__proto__": {"message": "Hello"}, "platform": "telegram", "recipient": "7"}', ['__proto__']],
    ['/messages/send', String.raw`{"\u005f_proto__": null}`, ['__proto__']],
    ['/messages/send', '{"constructor": {"prototype": {"platform": "telegram"}}}', ['constructor']],
    ['/messages/send', '{"options": {"__proto__": {"parse_mode": "html"}}}', ['options.__proto__']],
    ['/messages/send', '{"__proto__": 1, "colour": "red"}', ['__proto__', 'colour']],
    ['/ai/generate', '{"message": "Hi", "context": [{"__proto__": {"role": "user"}}]}', ['context[0].__proto__']],
    ['/admin/api-keys', '{"rate_limit": {"constructor": {"prototype": 1}}}', ['rate_limit.constructor']],
  ])('are unknown to POST %s: %s', async (path, body, fields) => {
    expect(await api('POST', path, body)).toMatchObject(
      expectedError('INVALID_REQUEST', { fields: expect.arrayContaining(fields) as string[] }),
    );
  });

  it.each([
    ['{"__proto__": {"ai": {"model": "x"}}}', '__proto__'],
    ['{"constructor": {"prototype": {}}}', 'constructor'],
    ['{"ai": {"__proto__": {"model": "x"}}}', 'ai.__proto__'],
    ['{"ai": {"prices": {"__proto__": {"input": 1}}}}', 'ai.prices.__proto__'],
    ['{"ai": {"prices": {"__proto__": null}}}', 'ai.prices.__proto__'],
    ['{"ai": {"prices": {"m": {"constructor": {"prototype": {}}}}}}', 'ai.prices.m.constructor'],
  ])('are unknown settings: %s', async (body, parameter) => {
    const before = await api('GET', '/admin/settings');
    expect(await api('PATCH', '/admin/settings', body)).toMatchObject(
      expectedError('INVALID_PARAMETER', { parameter, reason: 'is not a known setting' }),
    );
    expect((await api('GET', '/admin/settings')).body.data).toEqual(before.body.data);
  });

  it('are reported together with other faults of the settings', async () => {
    const { body } = await api('PATCH', '/admin/settings', '{"ai": {"max_tokens": 0, "prices": {"__proto__": {}}}}');
    expect(body.error.details).toMatchObject({
      errors: [{ parameter: 'ai.max_tokens' }, { parameter: 'ai.prices.__proto__' }],
    });
  });
});

describe('a body with many values', () => {
  const refused = expectedError('INVALID_REQUEST', { reason: 'the body has more than 2000 values' }).body;
  /** With the object, its field and the list: three values more. */
  const nulls = (count: number) => JSON.stringify({ message: 'Hi', context: Array(count).fill(null) });

  it('may have 2,000, counting objects and lists', async () => {
    expect(await api('POST', '/ai/generate', nulls(1_997))).toMatchObject({
      body: { error: { code: 'INVALID_PARAMETER' } },
    });
    expect((await api('POST', '/ai/generate', nulls(1_998))).body).toEqual(refused);
  });

  it.each([
    ['POST', '/messages/send'],
    ['PATCH', '/admin/settings'],
    ['POST', '/integrations/telegram/reconnect'],
  ])('is refused before its fields are validated: %s %s', async (method, path) => {
    const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, index]));
    expect((await api(method, path, JSON.stringify(fields))).body).toEqual(refused);
  });
});

describe('a request with more than 20 faults', () => {
  const texts = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`);
  const fields = (count: number) => Object.fromEntries(texts(count).map((name) => [name, 1]));
  const query = (count: number) =>
    texts(count)
      .map((name) => `${name}=1`)
      .join('&');
  const detailsOf = async (answer: ReturnType<typeof api>) =>
    (await answer).body.error.details as unknown as FaultDetails;
  interface FaultDetails {
    errors: { parameter: string }[];
    errors_omitted: number;
  }

  it('lists 20 and counts the others: unknown fields', async () => {
    const body = { ...SEND, ...fields(25), options: fields(5) };
    const message = `Unknown field: ${texts(20).join(', ')}, and 10 more.`;
    expect((await api('POST', '/messages/send', JSON.stringify(body))).body).toEqual(
      expectedError('INVALID_REQUEST', { fields: texts(20), errors_omitted: 10 }, message).body,
    );
    expect((await api('POST', '/messages/send', JSON.stringify({ ...SEND, ...fields(20) }))).body).toEqual(
      expectedError('INVALID_REQUEST', { fields: texts(20) }).body,
    );
  });

  it('lists 20 and counts the others: invalid and missing fields', async () => {
    const generate = (item: object, message?: string) =>
      detailsOf(api('POST', '/ai/generate', JSON.stringify({ message, context: Array(50).fill(item) })));
    for (const details of [await generate({ role: 'system', content: '' }, 'Hi'), await generate({})]) {
      expect(details.errors).toHaveLength(20);
    }
    expect(await generate({ role: 'user', content: 7 }, 'Hi')).toMatchObject({ errors_omitted: 30 });
    expect(await generate({})).toMatchObject({ parameter: 'message', errors_omitted: 81 });
  });

  it('lists 20 and counts the others: settings', async () => {
    const prices = Object.fromEntries(texts(30).map((name) => [name, { input: -1 }]));
    const details = await detailsOf(api('PATCH', '/admin/settings', JSON.stringify({ ai: { prices } })));
    expect(details.errors.map(({ parameter }) => parameter)).toEqual(
      texts(20).map((name) => `ai.prices.${name}.input`),
    );
    expect(details.errors_omitted).toBe(10);
  });

  it('lists 20 and counts the others: the query, with the body', async () => {
    expect(await detailsOf(api('GET', `/messages?page=0&${query(25)}`))).toMatchObject({ errors_omitted: 6 });
    expect(await detailsOf(api('GET', `/integrations?${query(25)}`))).toMatchObject({ errors_omitted: 5 });
    const send = await detailsOf(api('POST', `/messages/send?${query(18)}`, '{}'));
    expect(send.errors.map(({ parameter }) => parameter)).toEqual([...texts(18), 'platform', 'recipient']);
    expect(send.errors_omitted).toBe(1);
  });

  it('cuts names and values to 100 characters', async () => {
    const [long, cut] = ['🦊'.repeat(150), '🦊'.repeat(100)];
    expect(await api('POST', '/messages/send', JSON.stringify({ [long]: 1 }))).toMatchObject(
      expectedError('INVALID_REQUEST', { fields: [cut] }, `Unknown field: ${cut}.`),
    );
    expect(await detailsOf(api('POST', '/messages/send', JSON.stringify({ ...SEND, platform: long })))).toMatchObject({
      value: cut,
    });
    expect(await detailsOf(api('PATCH', '/admin/settings', JSON.stringify({ ai: { provider: long } })))).toMatchObject({
      value: cut,
    });
    expect(await detailsOf(api('PATCH', '/admin/settings', JSON.stringify({ ai: { [long]: 1 } })))).toMatchObject({
      parameter: `ai.${'🦊'.repeat(97)}`,
    });
  });
});

describe('a body with a content encoding', () => {
  const reason = 'the Content-Encoding header must be identity or absent';
  const post = async (body: string | Buffer, encoding: string) => {
    const answer = await request(`${gateway.url}/api/v1/messages/send`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.testKey}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body,
    });
    return { status: answer.statusCode, body: await answer.body.json() };
  };

  it.each(['gzip', 'br', 'identity, gzip', 'nonsense'])(
    'is refused with the name of the header: %s',
    async (encoding) => {
      const plain = JSON.stringify(SEND);
      const expected = expectedError('INVALID_REQUEST', { reason });
      expect(await post(plain, encoding)).toEqual(expected);
      expect(await post(gzipSync(plain), encoding)).toEqual(expected);
    },
  );

  it.each(['identity', 'Identity', ''])('is accepted if the encoding is identity: %p', async (encoding) => {
    expect(await post(JSON.stringify(SEND), encoding)).toMatchObject({ status: 200 });
  });
});

describe('an empty body', () => {
  it.each([FORM, 'text/plain', 'application/json', 'application/octet-stream'])(
    'needs no media type: %s',
    async (type) => {
      const empty: Record<string, string>[] = [
        { 'content-type': type, 'content-length': '0' },
        { 'content-type': type, 'transfer-encoding': 'chunked' },
      ];
      for (const headers of empty) {
        expect(await bare('POST', '/integrations/telegram/reconnect', headers)).not.toMatchObject({
          error: { code: 'INVALID_REQUEST' },
        });
        const nothing = (await api('POST', '/messages/send')).body.error;
        expect(nothing.code).toBe('MISSING_PARAMETER');
        expect(await bare('POST', '/messages/send', headers)).toMatchObject({ error: nothing });
      }
    },
  );

  it('is not reported if there is a body', async () => {
    const refused = expectedError('INVALID_REQUEST', { reason: 'the body must be application/json' });
    for (const path of ['/integrations/telegram/reconnect', '/messages/send']) {
      expect(await api('POST', path, ' ', { 'content-type': FORM })).toMatchObject(refused);
    }
  });

  it.each(['', undefined])('changes no settings: %p', async (body) => {
    const headers = body === undefined ? undefined : { 'content-type': 'application/json' };
    expect(await api('PATCH', '/admin/settings', body, headers)).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: 'the body must be a JSON object' }),
    );
  });
});

/** As `curl -X POST -d ''` sends it: with headers of a body that has nothing in it. */
async function bare(method: string, path: string, headers: Record<string, string>): Promise<unknown> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const all = { host: 'gateway', connection: 'close', authorization: `Bearer ${gateway.testKey}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = headers['transfer-encoding'] === undefined ? '' : '0\r\n\r\n';
  socket.write(`${method} /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${end}`);
  const answer = await text(socket);
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as unknown;
}
