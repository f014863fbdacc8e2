import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };
const FORM = 'application/x-www-form-urlencoded';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

const api = (method: string, path: string, body?: string, headers?: Record<string, string>) =>
  gateway.api(method, path, body, { key: gateway.testKey, headers });

describe('fields called like something that every object inherits', () => {
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
  ])('are unknown ones to POST %s: %s', async (path, body, fields) => {
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

  it('are told of together with other faults of the settings', async () => {
    const { body } = await api('PATCH', '/admin/settings', '{"ai": {"max_tokens": 0, "prices": {"__proto__": {}}}}');
    expect(body.error.details).toMatchObject({
      errors: [{ parameter: 'ai.max_tokens' }, { parameter: 'ai.prices.__proto__' }],
    });
  });
});

describe('an encoded body', () => {
  const reason = 'the Content-Encoding header must be identity or left out';
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
    'is refused by the name of the header: %s',
    async (encoding) => {
      const plain = JSON.stringify(SEND);
      const expected = expectedError('INVALID_REQUEST', { reason });
      expect(await post(plain, encoding)).toEqual(expected);
      expect(await post(gzipSync(plain), encoding)).toEqual(expected);
    },
  );

  it.each(['identity', 'Identity', ''])('is taken where its encoding is none: %p', async (encoding) => {
    expect(await post(JSON.stringify(SEND), encoding)).toMatchObject({ status: 200 });
  });
});

describe('an empty body', () => {
  it.each([FORM, 'text/plain', 'application/json', 'application/octet-stream'])(
    'has no media type: %s',
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

  it('is not said to be one where there is something in it', async () => {
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
