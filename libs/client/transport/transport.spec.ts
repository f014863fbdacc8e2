import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { eventually } from '../../../test/support/eventually';
import { answer, broken, failed, ok, ScriptedServer, silent } from '../../../test/client/scripted-server';
import { GatewayConnectionError, GatewayError, GatewayTimeoutError, MessagingGateway } from '../index';
import type { Fetch, GatewayOptions } from '../options';

const KEY = 'service_sk_test_0123456789abcdefghijklmnopqrstuv';
const MESSAGE = { platform: 'telegram', recipient: '7', message: 'Hello' } as const;
const WEBHOOK = { url: 'https://example.com/hook', events: ['message.received' as const] };
const LIMITED = failed(429, 'RATE_LIMIT_EXCEEDED', { limit: 60 }, { 'retry-after': '0' });

let server: ScriptedServer;

// A server for each test: an abandoned request of an earlier test may still arrive.
beforeEach(async () => {
  server = await new ScriptedServer().start();
  // No jitter: no wait before a retry.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => server.stop());

const client = (options: Partial<GatewayOptions> = {}) =>
  new MessagingGateway({ apiKey: KEY, baseUrl: server.url, ...options });
const keysSeen = () => server.requests.map(({ headers }) => headers['idempotency-key']);
/** Waits until exactly so many requests have arrived. */
const seen = (count: number) => eventually(`${count} requests come`, () => expect(server.requests).toHaveLength(count));
/** The error that a promise rejects with. */
const errorOf = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
const codeOf = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code;

describe('a request', () => {
  it('sends the key, its body and its query, without undefined fields', async () => {
    server.will(ok({ message_id: 'msg_1' }), ok([]));
    expect(await client().messages.send(MESSAGE)).toEqual({ message_id: 'msg_1' });
    await client().messages.list({ platform: 'discord', start_date: undefined, conversation_id: 'a b&c' });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/messages/send',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(MESSAGE),
    });
    expect(server.requests[1]).toMatchObject({
      method: 'GET',
      url: '/api/v1/messages?platform=discord&conversation_id=a+b%26c',
      body: '',
    });
    expect(server.requests[1]!.headers['content-type']).toBeUndefined();
  });

  it('says which client and which Node sent it', async () => {
    await client().settings.get();
    const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };
    expect(server.requests[0]!.headers['user-agent']).toBe(
      `messaging-gateway-client/${version} node/${process.versions.node}`,
    );
  });

  it('goes below the path of the base URL', async () => {
    for (const baseUrl of [`${server.url}/gateway`, `${server.url}/gateway/`]) await client({ baseUrl }).settings.get();
    expect(server.requests.map(({ url }) => url)).toEqual(Array(2).fill('/gateway/api/v1/admin/settings'));
  });

  it('encodes any resource name in its path', async () => {
    await client().messages.get('a/../b?c#d');
    expect(server.requests[0]!.url).toBe('/api/v1/messages/a%2F..%2Fb%3Fc%23d');
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      expect(await errorOf(client().webhooks.delete(id))).toBeInstanceOf(TypeError);
    }
    expect(server.requests).toHaveLength(1);
  });

  it('with a malformed header is not sent', async () => {
    const error = await errorOf(client().messages.send(MESSAGE, { idempotencyKey: 'Auftrag №4711' }));
    expect(error).toMatchObject({ name: 'TypeError' });
    expect(server.requests).toHaveLength(0);
  });

  it('uses the fetch function of the options', async () => {
    const asked: unknown[] = [];
    const fetch: Fetch = async (url, init) => {
      asked.push(url);
      return globalThis.fetch(url, init);
    };
    await client({ fetch }).settings.get();
    expect(asked).toEqual([`${server.url}/api/v1/admin/settings`]);
  });

  it('does not follow a redirect', async () => {
    server.will(answer(302, '', { location: 'https://elsewhere.example/' }));
    const error = await errorOf(client().messages.send(MESSAGE));
    expect(error).toMatchObject({
      status: 302,
      code: 'UNKNOWN',
      message: expect.stringContaining('https://elsewhere.example/') as string,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('an error', () => {
  it('has the code, message and details of the gateway', async () => {
    const details = { required_scope: 'write:messages', key_scopes: [] };
    server.will(failed(403, 'INSUFFICIENT_PERMISSIONS', details));
    const error = (await errorOf(client().messages.send(MESSAGE))) as GatewayError;
    expect(error).toBeInstanceOf(GatewayError);
    expect({ ...error, message: error.message }).toEqual({
      name: 'GatewayPermissionError',
      status: 403,
      code: 'INSUFFICIENT_PERMISSIONS',
      message: 'No.',
      details,
      requestId: 'req_1',
      retryAfter: undefined,
    });
    expect(error.is('INSUFFICIENT_PERMISSIONS') && error.details.required_scope).toBe('write:messages');
    expect(error.is('INTERNAL_ERROR')).toBe(false);
  });

  it('has the request id of the header if the body has none', async () => {
    const body = { success: false, error: { code: 'INVALID_API_KEY', message: 'No.', details: null } };
    server.will(answer(401, body, { 'x-request-id': 'req_2' }));
    expect(await errorOf(client().settings.get())).toMatchObject({ requestId: 'req_2' });
  });

  it.each([
    ['a page of a proxy', 404, '<html>'],
    ['nothing', 404, ''],
    ['JSON of another server', 400, '{"error":"nope"}'],
    ['null', 400, 'null'],
    ['a page instead of an answer', 200, '<html>'],
    ['a success that is none', 200, '{"success":false}'],
  ])('has the code UNKNOWN for %s', async (_, status, body) => {
    server.will(answer(status, body));
    expect(await errorOf(client().settings.get())).toMatchObject({ status, code: 'UNKNOWN', details: null });
    expect(server.requests).toHaveLength(1);
  });

  it('of the connection is a GatewayConnectionError', async () => {
    server.will(broken);
    const error = await errorOf(client({ maxRetries: 0 }).settings.get());
    expect(error).toBeInstanceOf(GatewayConnectionError);
    expect((error as Error).cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });
});

describe('the API key', () => {
  const shown = (value: unknown) =>
    inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value) + String(value);

  it('does not appear when a client, a list, a stream or an error is logged', async () => {
    const gateway = client({ maxRetries: 0 });
    expect(shown(gateway)).not.toContain(KEY);
    expect(shown(gateway.messages.list())).not.toContain(KEY);
    expect(shown(gateway.ai.stream({ message: 'Hello' }))).not.toContain(KEY);
    server.will(broken, failed(400, 'INVALID_REQUEST'), silent);
    const errors = [
      await errorOf(gateway.settings.get()),
      await errorOf(gateway.settings.get()),
      await errorOf(gateway.settings.get({ timeout: 20 })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(shown(error)).not.toContain(KEY);
      expect((error as Error).stack).not.toContain(KEY);
    }
  });

  it.each(['', `${KEY}\n`, `${KEY}…`, 'two words', undefined, null, 7, [KEY]])(
    'is rejected without showing it if it is malformed (%#)',
    (apiKey) => {
      expect(() => client({ apiKey: apiKey as string })).toThrow(
        new TypeError('apiKey must be an API key of the gateway'),
      );
    },
  );
});

it.each(['', 'gateway.example.com', 'ftp://gateway.example.com'])('the address %p is refused', (baseUrl) => {
  expect(() => client({ baseUrl })).toThrow(new TypeError('baseUrl must be an https: or http: URL'));
});

describe('retrying', () => {
  it('happens at most twice, or maxRetries times', async () => {
    const script = Array.from({ length: 9 }, () => LIMITED);
    for (const [made, times] of [
      [() => client().settings.get(), 3],
      [() => client({ maxRetries: 0 }).settings.get(), 1],
      [() => client({ maxRetries: 0 }).settings.get({ maxRetries: 3 }), 4],
    ] as const) {
      server.will(...script);
      expect(await errorOf(made())).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
      expect(server.requests).toHaveLength(times);
    }
  });

  it('keeps the Idempotency-Key of a message; another message has another key', async () => {
    server.will(broken, failed(500, 'INTERNAL_ERROR'), ok(), ok());
    await client().messages.send(MESSAGE);
    await client().messages.send(MESSAGE);
    const [first, second, third, other] = keysSeen();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).toMatch(/^[0-9a-f-]{36}$/);
    expect(other).not.toBe(first);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  it('keeps the Idempotency-Key that the caller gave', async () => {
    server.will(broken, ok());
    await client().messages.send(MESSAGE, { idempotencyKey: 'order-4711' });
    expect(keysSeen()).toEqual(['order-4711', 'order-4711']);
  });

  it.each([
    ['breaks', broken],
    ['fails', failed(500, 'INTERNAL_ERROR')],
    ['fails in a proxy', answer(502, '<html>')],
  ])('repeats a read, a change and a deletion, but not a creation, if it %s', async (_, reaction) => {
    const gateway = client();
    for (const make of [
      () => gateway.webhooks.get('wh_1'),
      () => gateway.settings.update({ ai: { auto_reply: false } }),
      () => gateway.apiKeys.revoke('key_1'),
      () => gateway.integrations.reconnect('discord'),
    ]) {
      server.will(reaction);
      await make();
      expect(server.requests).toHaveLength(2);
    }
    server.will(reaction);
    expect(await errorOf(gateway.webhooks.create(WEBHOOK))).toBeInstanceOf(Error);
    expect(server.requests).toHaveLength(1);
    expect(keysSeen()).toEqual([undefined]);
  });

  it('repeats a creation after a rate limit, and after a refused connection', async () => {
    server.will(LIMITED, ok({ id: 'wh_1' }));
    expect(await client().webhooks.create(WEBHOOK)).toEqual({ id: 'wh_1' });
    await server.stop();
    // Until the client has noticed the end of the old connection, a request on it would break instead of being refused.
    await eventually('a connection is refused', async () => {
      expect(codeOf(await errorOf(fetch(server.url)))).toBe('ECONNREFUSED');
    });
    const creating = client({ maxRetries: 10_000 }).webhooks.create(WEBHOOK);
    await sleep(50);
    server.will();
    await server.start();
    await creating;
    expect(server.requests).toHaveLength(1);
  });

  it('does not follow AI_PROVIDER_ERROR, because the gateway would replay its answer', async () => {
    server.will(failed(500, 'AI_PROVIDER_ERROR', { provider: 'anthropic', type: 'overloaded', retryable: true }));
    const error = await errorOf(client().ai.generate({ message: 'Hello' }));
    expect((error as GatewayError).is('AI_PROVIDER_ERROR') && (error as GatewayError).details).toMatchObject({
      retryable: true,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('skips an upload from a stream, because its bytes are gone', async () => {
    server.will(LIMITED, ok({ id: 'att_1' }));
    async function* bytes() {
      yield new Uint8Array([1, 2, 3]);
    }
    expect(await errorOf(client().attachments.upload(bytes()))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    server.will(failed(429, 'RATE_LIMIT_EXCEEDED', null, { 'retry-after': '1' }), ok());
    await client().settings.get();
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
  });

  it('never waits longer than a minute', async () => {
    server.will(failed(429, 'RATE_LIMIT_EXCEEDED', null, { 'retry-after': '3000' }));
    expect(await errorOf(client().settings.get())).toMatchObject({ retryAfter: 3_000 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('the timeout', () => {
  it('ends one attempt; the next attempt has its own timeout', async () => {
    const answered = ok({ id: 'msg_1' });
    // On a busy machine an answer may be late as well.
    server.will(silent, silent, answered, answered, answered, answered);
    expect(await client({ timeout: 500, maxRetries: 5 }).messages.get('msg_1')).toEqual({ id: 'msg_1' });
    server.will(silent, silent, silent);
    const error = await errorOf(client().messages.get('msg_1', { timeout: 100 }));
    expect(error).toBeInstanceOf(GatewayTimeoutError);
    expect(error).toBeInstanceOf(GatewayConnectionError);
    await seen(3);
  });

  it('includes the time for reading the body', async () => {
    server.will((response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"success":'));
    expect(await errorOf(client({ maxRetries: 0, timeout: 100 }).settings.get())).toBeInstanceOf(GatewayTimeoutError);
  });

  it('does not retry a creation, because the gateway may have finished it', async () => {
    server.will(silent);
    expect(await errorOf(client({ timeout: 100 }).webhooks.create(WEBHOOK))).toBeInstanceOf(GatewayTimeoutError);
    await seen(1);
  });
});

describe("the caller's signal", () => {
  it('ends a request with its reason, and without a retry', async () => {
    const reason = new Error('changed my mind');
    const caller = new AbortController();
    server.will(silent);
    const error = errorOf(client().settings.get({ signal: caller.signal }));
    await seen(1);
    caller.abort(reason);
    expect(await error).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('ends the wait before a retry', async () => {
    const caller = new AbortController();
    server.will(failed(429, 'RATE_LIMIT_EXCEEDED', null, { 'retry-after': '30' }));
    const error = errorOf(client().settings.get({ signal: caller.signal }));
    await seen(1);
    await sleep(50);
    caller.abort();
    expect(await error).toMatchObject({ name: 'AbortError' });
  });

  it('prevents the request if it is already aborted', async () => {
    expect(await errorOf(client().settings.get({ signal: AbortSignal.abort() }))).toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(0);
  });

  it('has no listeners after the request', async () => {
    const caller = new AbortController();
    server.will(LIMITED, ok());
    await client().settings.get({ signal: caller.signal });
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });
});
