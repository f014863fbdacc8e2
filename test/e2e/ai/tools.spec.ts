import { signStandardWebhook, signWebhookBody } from '#contracts';
import type { CreatedToolDto, TestedToolDto, ToolDto } from '../../../src/ai/tools/dto/tool.dto';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { useGateway } from '../../support/gateway';

const SCHEMA = {
  type: 'object',
  properties: { order_id: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
  required: ['order_id'],
  additionalProperties: false,
};

describe('Tools', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;
  beforeAll(async () => void (receiver = await new ReceiverFake().start()));
  beforeEach(async () => {
    await gateway.sql('DELETE FROM tools');
    receiver.posts.length = 0;
    receiver.react(200);
  });

  const body = (change: object = {}) => ({
    name: 'order_status',
    description: 'Looks up where an order is.',
    parameters: SCHEMA,
    url: receiver.url(),
    ...change,
  });
  const create = async (change: object = {}) => {
    const { status, body: answer } = await gateway.api<CreatedToolDto>('POST', '/tools', body(change));
    expect({ status, answer }).toMatchObject({ status: 201 });
    return answer.data;
  };
  const fails = async (change: object, method = 'POST', path = '/tools') => {
    const { body: answer } = await gateway.api(method, path, method === 'POST' ? body(change) : change);
    return (answer as unknown as { error: { code: string; message: string } }).error;
  };
  const test = async (id: string, given: object = { order_id: '7' }) =>
    (await gateway.api<TestedToolDto>('POST', `/tools/${id}/test`, { arguments: given })).body.data;

  it('POST /tools returns the tool with its secret, which no other answer has', async () => {
    const { secret, ...tool } = await create();
    expect(secret).toMatch(/^whsec_/);
    expect(tool).toEqual({
      id: expect.stringMatching(/^tool_/),
      name: 'order_status',
      description: 'Looks up where an order is.',
      parameters: SCHEMA,
      url: receiver.url(),
      timeout_seconds: 10,
      enabled: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await gateway.api('GET', `/tools/${tool.id}`)).body.data).toEqual(tool);
    expect((await gateway.api('GET', '/tools')).body.data).toEqual([tool]);
    const own = await create({ name: 'own', secret: 'a secret of good length' });
    expect(own).not.toHaveProperty('secret');
  });

  it('PATCH /tools/{tool_id} changes a tool, and DELETE removes it', async () => {
    const { id } = await create();
    const { body: changed } = await gateway.api<ToolDto>('PATCH', `/tools/${id}`, {
      name: 'orders',
      timeout_seconds: 3,
      enabled: false,
      parameters: { type: 'object' },
    });
    expect(changed.data).toMatchObject({
      name: 'orders',
      timeout_seconds: 3,
      enabled: false,
      parameters: { type: 'object' },
    });
    expect((await gateway.api('DELETE', `/tools/${id}`)).body.data).toEqual({ id, deleted: true });
    expect((await gateway.api('GET', `/tools/${id}`)).status).toBe(404);
    expect((await gateway.api('DELETE', `/tools/${id}`)).status).toBe(404);
  });

  it('keeps the tools of the environments apart', async () => {
    const { id } = await create();
    const asTest = { key: gateway.testKey };
    expect((await gateway.api('POST', '/tools', body(), asTest)).status).toBe(201);
    expect((await gateway.api('GET', `/tools/${id}`, undefined, asTest)).status).toBe(404);
    expect((await gateway.api('DELETE', `/tools/${id}`, undefined, asTest)).status).toBe(404);
    expect((await gateway.api<ToolDto[]>('GET', '/tools', undefined, asTest)).body.data).toHaveLength(1);
  });

  it.each([
    ['a reserved name', { name: 'hand_over' }, 'name'],
    ['a capital letter in the name', { name: 'Orders' }, 'name'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'name'],
    ['a private address', { url: 'http://10.0.0.1/' }, 'url'],
    ['credentials in the URL', { url: 'http://me:you@127.0.0.1/' }, 'url'],
    ['31 seconds', { timeout_seconds: 31 }, 'timeout_seconds'],
    ['a schema of another type', { parameters: { type: 'string' } }, 'parameters'],
    ['a schema that is a list', { parameters: [] }, 'parameters'],
    ['a pattern', { parameters: { type: 'object', properties: { a: { pattern: '^a' } } } }, 'parameters'],
    ['patternProperties', { parameters: { type: 'object', patternProperties: { a: {} } } }, 'parameters'],
    ['a format', { parameters: { type: 'object', properties: { a: { format: 'email' } } } }, 'parameters'],
    ['a remote reference', { parameters: { type: 'object', $ref: 'https://example.com/a.json' } }, 'parameters'],
    ['a broken reference', { parameters: { type: 'object', $ref: '#/$defs/a' } }, 'parameters'],
    [
      'a reference to a pattern in a default value',
      { parameters: { type: 'object', default: { pattern: '(a+)+$' }, properties: { a: { $ref: '#/default' } } } },
      'parameters',
    ],
    ['an unknown keyword', { parameters: { type: 'object', propertys: {} } }, 'parameters'],
    ['an unknown type', { parameters: { type: 'object', properties: { a: { type: 'text' } } } }, 'parameters'],
    ['17 KiB of schema', { parameters: { type: 'object', description: 'x'.repeat(17_000) } }, 'parameters'],
  ])('POST /tools refuses %s', async (_, change, parameter) => {
    const error = await fails(change);
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter } });
  });

  it('accepts local references, also to the schema itself, and properties with names of keywords', async () => {
    const node = {
      type: 'object',
      properties: { pattern: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    };
    const { id } = await create({
      parameters: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { tree: { $ref: '#/$defs/node' } },
        $defs: { node },
      },
    });
    expect(await test(id, { tree: { pattern: 'a', children: [{}, { children: [] }] } })).toMatchObject({
      status: 'success',
    });
    expect(await test(id, { tree: { children: [{ children: 5 }] } })).toMatchObject({ status: 'refused' });
  });

  it('refuses a second tool of a name, also by PATCH', async () => {
    await create();
    const other = await create({ name: 'other' });
    expect(await fails({})).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining('registered'),
    });
    expect(await fails({ name: 'order_status' }, 'PATCH', `/tools/${other.id}`)).toMatchObject({
      code: 'INVALID_PARAMETER',
    });
    expect((await gateway.api('PATCH', `/tools/${other.id}`, { name: 'other' })).status).toBe(200);
  });

  it('refuses the 65th tool, and more than 32 KiB of enabled schemas and descriptions', async () => {
    for (let index = 0; index < 64; index += 1) await create({ name: `tool_${index}` });
    expect(await fails({})).toMatchObject({ code: 'INVALID_REQUEST', details: { limit: 64 } });
    await gateway.sql('DELETE FROM tools');
    const large = { parameters: { type: 'object', description: 'x'.repeat(16_000) } };
    await create({ name: 'one', ...large });
    await create({ name: 'two', ...large });
    expect(await fails({ name: 'three', ...large })).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { limit: 32_768 },
    });
    const { id } = await create({ name: 'three', ...large, enabled: false });
    expect(await fails({ enabled: true }, 'PATCH', `/tools/${id}`)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('does not let a key with an AI budget change tools', async () => {
    const { id } = await create();
    const { body: made } = await gateway.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'Frugal',
      scopes: ['*'],
      ai_budget: { daily_usd: 1, monthly_usd: null },
    });
    const { key } = made.data;
    const asked = [
      await gateway.api('POST', '/tools', body({ name: 'other' }), { key }),
      await gateway.api('PATCH', `/tools/${id}`, { enabled: false }, { key }),
      await gateway.api('DELETE', `/tools/${id}`, undefined, { key }),
    ];
    for (const { status, body: answer } of asked) {
      expect(status).toBe(403);
      expect(answer).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required_scope: '*' } } });
    }
    expect((await gateway.api('GET', `/tools/${id}`, undefined, { key })).status).toBe(200);
  });

  describe('POST /tools/{tool_id}/test', () => {
    it('posts a signed call, and returns the result', async () => {
      receiver.react((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"at":"sea"}'),
      );
      const { id, secret } = await create();
      const tested = await test(id, { order_id: '7' });
      expect(tested).toEqual({
        call_id: expect.stringMatching(/^call_/),
        status: 'success',
        ms: expect.any(Number),
        result: '{"at":"sea"}',
        error: null,
      });
      const [{ raw, headers }] = receiver.posts as [(typeof receiver.posts)[0]];
      expect(JSON.parse(raw)).toEqual({
        id: tested.call_id,
        name: 'order_status',
        arguments: { order_id: '7' },
        conversation: null,
        participant: null,
        message_id: null,
      });
      expect(headers['webhook-id']).toBe(tested.call_id);
      expect(headers['x-service-signature']).toBe(signWebhookBody(secret!, raw));
      const at = Number(headers['webhook-timestamp']);
      expect(headers['webhook-signature']).toBe(signStandardWebhook(secret!, tested.call_id, at, raw));
      expect((await gateway.api('GET', `/tools/${id}/calls`)).body.data).toEqual([]);
    });

    it('works while the tool is disabled', async () => {
      const { id } = await create({ enabled: false });
      expect(await test(id)).toMatchObject({ status: 'success', result: 'noted' });
    });

    it('signs with the former secret too for a day after a change', async () => {
      const { id, secret } = await create();
      await gateway.api('PATCH', `/tools/${id}`, { secret: 'another secret of good length' });
      const { call_id } = await test(id);
      const [{ raw, headers }] = receiver.posts as [(typeof receiver.posts)[0]];
      const at = Number(headers['webhook-timestamp']);
      expect(headers['webhook-signature']).toBe(
        ['another secret of good length', secret!].map((one) => signStandardWebhook(one, call_id, at, raw)).join(' '),
      );
      expect(headers['x-service-signature-previous']).toBe(signWebhookBody(secret!, raw));
    });

    it('does not send arguments that do not fit the schema', async () => {
      const { id } = await create();
      for (const given of [{}, { order_id: 7 }, { order_id: '7', url: 'http://10.0.0.1' }, { order_id: '7', count: 0 }])
        expect(await test(id, given)).toMatchObject({ status: 'refused', result: null, error: expect.any(String) });
      expect(receiver.posts).toHaveLength(0);
    });

    it.each([
      ['a status of 500', 500, 'failed', /answered 500/],
      ['a redirect', 302, 'failed', /redirects/],
      ['an image', { 'content-type': 'image/png' }, 'failed', /neither JSON nor text/],
      ['compressed bytes', { 'content-encoding': 'gzip' }, 'failed', /compressed/],
    ] as const)('reports %s as an error', async (_, given, status, error) => {
      receiver.react((__, response) =>
        typeof given === 'number'
          ? response.writeHead(given, { location: receiver.url('/other') }).end()
          : response.writeHead(200, given).end('x'),
      );
      const { id } = await create();
      expect(await test(id)).toMatchObject({ status, result: null, error: expect.stringMatching(error) });
      expect(receiver.postsTo('/other')).toHaveLength(0);
    });

    it.each([
      ['65 KiB', 'x'.repeat(66_000), 'failed', /64 KiB/],
      ['a flood', 'x'.repeat(3_000_000), 'failed', /large|closed|reset/i],
    ])('refuses %s of answer', async (_, text, status, error) => {
      receiver.react((__, response) => response.end(text));
      const { id } = await create();
      expect(await test(id)).toMatchObject({ status, result: null, error: expect.stringMatching(error) });
    });

    it('refuses an answer that is shorter than it says', async () => {
      receiver.react((_, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('short');
        setTimeout(() => response.destroy(), 20);
      });
      const { id } = await create();
      expect(await test(id)).toMatchObject({ status: 'failed', result: null });
    });

    it('returns the first 16 KiB of a long answer', async () => {
      receiver.react((_, response) => response.end('ü'.repeat(20_000)));
      const { id } = await create();
      const { status, result } = await test(id);
      expect({ status, bytes: Buffer.byteLength(result!) }).toEqual({ status: 'success', bytes: 16_384 });
    });

    it('gives up after timeout_seconds', async () => {
      receiver.react(() => undefined);
      const { id } = await create({ timeout_seconds: 1 });
      const { status, ms, error } = await test(id);
      expect({ status, error }).toEqual({ status: 'timed_out', error: expect.stringContaining('1 second') });
      expect(ms).toBeGreaterThanOrEqual(990);
      expect(ms).toBeLessThan(5_000);
    });

    it('has 8 calls of a tool under way at once', async () => {
      const open: (() => void)[] = [];
      receiver.react((_, response) => void open.push(() => response.end('done')));
      const { id } = await create();
      const calls = Array.from({ length: 10 }, () => test(id));
      await receiver.received(8);
      open.splice(0).forEach((end) => end());
      await receiver.received(10);
      open.splice(0).forEach((end) => end());
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(
        Array.from({ length: 10 }, () => 'success'),
      );
    });
  });

  it('GET /tools/{tool_id}/calls needs read:messages beside admin:settings', async () => {
    const { id } = await create();
    const key = await gateway.createKey({ scopes: ['admin:settings'] });
    const { status, body: answer } = await gateway.api('GET', `/tools/${id}/calls`, undefined, { key });
    expect(status).toBe(403);
    expect(answer).toMatchObject({ error: { details: { required_scope: 'read:messages' } } });
    const both = await gateway.createKey({ scopes: ['admin:settings', 'read:messages'] });
    expect((await gateway.api('GET', `/tools/${id}/calls`, undefined, { key: both })).status).toBe(200);
  });
});
