import { answer, failed, meta, ok, ScriptedServer, type Reaction } from '../../test/client/scripted-server';
import { GatewayError, MessagingGateway } from './index';

const HEADERS = {
  'x-request-id': 'req_1',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1769860860',
};
const RESPONSE = {
  status: 200,
  requestId: 'req_1',
  rateLimit: { limit: 60, remaining: 59, resetAt: new Date('2026-01-31T12:01:00Z') },
  isReplayed: false,
};
const RESULT = { response: 'Hello', model: 'm', tokens: { input: 1, output: 2 }, latency_ms: 3 };

describe('the response of a call', () => {
  let server: ScriptedServer;
  let client: MessagingGateway;

  beforeEach(async () => {
    server = await new ScriptedServer().start();
    client = new MessagingGateway({ apiKey: 'key', baseUrl: server.url, maxRetries: 0 });
  });
  afterEach(() => server.stop());

  const ours = (data: unknown, more: object = {}, headers: Record<string, string> = {}): Reaction =>
    answer(200, { success: true, data, meta: { ...meta, ...more } }, { ...HEADERS, ...headers });

  it('comes with its data from one request', async () => {
    server.will(ours({ id: 'msg_1' }));
    const call = client.messages.get('msg_1');
    const { data, response } = await call.withResponse();
    expect(data).toEqual({ id: 'msg_1' });
    expect(response).toMatchObject(RESPONSE);
    expect(await call).toBe(data);
    expect(server.requests).toHaveLength(1);
  });

  it('says whether it replays an earlier request', async () => {
    server.will(ours({ message_id: 'msg_1' }, {}, { 'idempotent-replayed': 'true' }));
    const message = { platform: 'telegram', recipient: '7', message: 'Hello' } as const;
    const { response } = await client.messages.send(message, { idempotencyKey: 'order-4711' }).withResponse();
    expect(response.isReplayed).toBe(true);
  });

  it('has no rate limit and no request id if these headers are missing', async () => {
    server.will(ok({}));
    const { response } = await client.settings.get().withResponse();
    expect(response).toMatchObject({ status: 200, requestId: undefined, rateLimit: undefined });
  });

  it('is part of a page', async () => {
    const pagination = { page: 1, per_page: 1, total: 2, total_pages: 2 };
    server.will(
      ours([{ id: 'msg_2' }], { pagination }),
      ours([{ id: 'msg_1' }], { pagination: { ...pagination, page: 2 } }, { 'x-request-id': 'req_2' }),
    );
    const page = await client.messages.list({ per_page: 1 });
    expect(page.response).toMatchObject(RESPONSE);
    expect((await page.nextPage()).response.requestId).toBe('req_2');
  });

  it('comes with a timeline', async () => {
    const summary = { outcome: 'sent', sentence: 'Telegram accepted the message.', next_try_at: null };
    server.will(ours([], { summary, omitted: ['sent'] }));
    const { data, response } = await client.messages.getTimeline('msg_1').withResponse();
    expect(data).toEqual({ summary, steps: [], omitted: ['sent'] });
    expect(response.requestId).toBe('req_1');
  });

  it('is part of a file', async () => {
    server.will(answer(200, 'bytes', { ...HEADERS, 'content-type': 'image/png' }));
    const content = await client.attachments.download('att_1');
    expect(content.response).toMatchObject(RESPONSE);
    expect(await (await content.blob()).text()).toBe('bytes');
  });

  it('is part of an AI stream once the stream begins', async () => {
    const events = `event: result\ndata: ${JSON.stringify({ success: true, data: RESULT, meta })}\n\n`;
    server.will(answer(200, events, { ...HEADERS, 'content-type': 'text/event-stream' }));
    const stream = client.ai.stream({ message: 'Hello' });
    expect(stream.response).toBeUndefined();
    await stream.result();
    expect(stream.response).toMatchObject(RESPONSE);
  });

  it('rejects once with an error: no promise stays unhandled', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    server.will(failed(404, 'RESOURCE_NOT_FOUND'), failed(404, 'RESOURCE_NOT_FOUND'));
    await expect(client.messages.get('msg_1').withResponse()).rejects.toBeInstanceOf(GatewayError);
    await expect(client.messages.get('msg_1')).rejects.toBeInstanceOf(GatewayError);
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
