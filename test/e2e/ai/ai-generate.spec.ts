import { request as httpRequest } from 'undici';
import type { AiStatusDto, GeneratedDto } from '../../../src/ai/dto/ai.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import type { ApiBody } from '../../support/api';
import { eventually } from '../../support/eventually';
import { expectedError, expectedMeta, expectedSuccess } from '../../support/expected';
import { startTestGateway, useGateway } from '../../support/gateway';

interface ServerSentEvent {
  event: string;
  data: unknown;
}

function parseEvents(text: string): ServerSentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) as unknown as [string, string, string];
      return { event, data: JSON.parse(data) as unknown };
    });
}

describe('POST /ai/generate', () => {
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ anthropic });

  afterEach(() => {
    anthropic.clearFaults();
    anthropic.release();
    anthropic.replyWith(() => 'We open at nine, as always.');
  });

  const generate = (body: object, key?: string) => gateway.api<GeneratedDto>('POST', '/ai/generate', body, { key });

  async function open(body: object, { key = gateway.liveKey, headers = {}, signal }: StreamOptions = {}) {
    const answer = await httpRequest(`${gateway.url}/api/v1/ai/generate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
      signal,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  async function stream(body: object, options?: StreamOptions) {
    const answer = await open(body, options);
    return { ...answer, text: await answer.body.text() };
  }

  interface StreamOptions {
    key?: string;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  }

  it('returns the text, the model, the tokens and the duration', async () => {
    anthropic.replyWith(() => 'We open at nine.');
    const context = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello!' },
    ];
    const options = { model: 'claude-opus-5-5', max_tokens: 77 };
    const answer = await generate({ message: 'When do you open?', context, options });
    const count = expect.any(Number) as number;
    expect(answer).toMatchObject({
      status: 200,
      body: expectedSuccess({
        response: 'We open at nine.',
        model: 'claude-opus-5-5',
        tokens: { input: count, output: count },
        latency_ms: count,
      }),
    });
    expect(anthropic.requests.at(-1)!.body).toMatchObject({ model: 'claude-opus-5-5', max_tokens: 77 });
    expect(anthropic.requests.at(-1)!.body.messages).toHaveLength(3);
  });

  it('streams deltas, then the result in the envelope', async () => {
    anthropic.replyWith(() => 'We open at nine, as always.');
    const answer = await stream({ message: 'When do you open?' });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-ratelimit-limit': '1000000' },
    });
    const events = parseEvents(answer.text);
    const deltas = events.filter(({ event }) => event === 'delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ data }) => (data as { text: string }).text).join('')).toBe('We open at nine, as always.');
    expect(events.at(-1)).toMatchObject({
      event: 'result',
      data: { success: true, data: { response: 'We open at nine, as always.' }, meta: expectedMeta() },
    });
    expect((events.at(-1)!.data as ApiBody).meta.request_id).toBe(answer.headers['x-request-id']);
  });

  it('reports a temperature that the model rejects, for complete and streamed answers, and in GET /ai/status', async () => {
    const message = 'temperature: the model claude-opus-5-5 does not accept it, so the gateway omitted it.';
    const warnings = [{ code: 'PARAMETER_IGNORED', message }];
    const asking = { message: 'x', options: { model: 'claude-opus-5-5', temperature: 0.5 } };
    const ignored = async (key?: string) =>
      (await gateway.api<AiStatusDto>('GET', '/ai/status', undefined, { key })).body.data.ignored;
    // The first call learns it from the refusal, the second one knows it.
    for (let call = 1; call <= 2; call += 1) {
      const { status, body } = await generate(asking);
      expect([status, body.meta]).toEqual([200, { ...expectedMeta(), warnings }]);
    }
    const events = parseEvents((await stream(asking)).text);
    expect((events.at(-1)!.data as ApiBody).meta).toEqual({ ...expectedMeta(), warnings });
    expect(await ignored()).toEqual([{ model: 'claude-opus-5-5', parameter: 'temperature' }]);
    expect(await ignored(gateway.testKey)).toEqual([]);
    const others = [{ model: 'claude-opus-5-5' }, { model: 'claude-haiku-4-5', temperature: 0.5 }];
    for (const options of others) {
      const { body } = await generate({ message: 'x', options });
      expect(body.meta).toEqual(expectedMeta());
    }
  });

  it('bills a streamed answer like any other', async () => {
    const usage = async () =>
      (await gateway.sql<{ n: number }>('SELECT coalesce(sum(requests), 0)::int AS n FROM ai_usage'))[0]!.n;
    const before = await usage();
    await stream({ message: 'x' });
    expect(await usage()).toBe(before + 1);
  });

  it('streams the answer of the sandbox to test keys', async () => {
    const { text } = await stream({ message: 'Hello' }, { key: gateway.testKey });
    const events = parseEvents(text);
    expect(events.at(-1)).toMatchObject({ event: 'result', data: { success: true } });
    expect(text).toContain('sandbox');
  });

  it('answers a failure before the first delta with its status', async () => {
    anthropic.fail({ status: 400, times: Infinity });
    const answer = await stream({ message: 'x' });
    expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).toMatchObject({
      status: 500,
      body: {
        success: false,
        error: { code: 'AI_PROVIDER_ERROR', details: { provider: 'anthropic', retryable: false } },
      },
    });
    expect(answer.headers['content-type']).toContain('application/json');
  });

  it('reports a failure after the first delta in the stream', async () => {
    anthropic.interruptStream(2);
    const events = parseEvents((await stream({ message: 'x' })).text);
    expect(events[0]!.event).toBe('delta');
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { success: false, error: { code: 'AI_PROVIDER_ERROR' }, meta: expectedMeta() },
    });
  });

  it('keeps the AI status after a 403 for the client’s model, and degrades it after one for its own model', async () => {
    const statusOf = async () => (await gateway.api<{ status: string }>('GET', '/ai/status')).body.data.status;
    const asked = { message: 'When do you open?' };
    const refused = async (body: object) => {
      anthropic.fail({ status: 403 });
      expect(await generate(body)).toMatchObject({ body: { error: { details: { type: 'permission_denied' } } } });
    };
    await generate(asked); // what was before is over
    await refused({ ...asked, options: { model: 'claude-opus-5-5' } });
    expect(await statusOf()).toBe('available');
    await refused(asked);
    expect(await statusOf()).toBe('unavailable');
    expect((await generate(asked)).status).toBe(200);
    expect(await statusOf()).toBe('available');
  });

  it('refuses a faulty request before it streams anything', async () => {
    const answer = await stream({ message: '' });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
  });

  it.each(['application/json', 'text/event-stream'])(
    'stops the request when the client disconnects, and ai.error (aborted) follows ai.request (%s)',
    async (accept) => {
      await gateway.sql(`DELETE FROM events WHERE type LIKE 'ai.%'`);
      anthropic.hold();
      const client = new AbortController();
      const answer = open({ message: 'x' }, { headers: { accept }, signal: client.signal });
      await anthropic.waitForInFlight(1);
      client.abort();
      await expect(answer).rejects.toThrow(/abort/i);
      await eventually('the provider is left', () => expect(anthropic.inFlight).toBe(0));
      const events = await eventually('both events are there', async () => {
        const rows = await gateway.sql<{ type: string; data: { request_id: string } }>(
          `SELECT type, body::jsonb -> 'data' AS data FROM events WHERE type LIKE 'ai.%' ORDER BY created_at, id`,
        );
        expect(rows).toHaveLength(2);
        return rows;
      });
      const [request, error] = events;
      expect(request!.type).toBe('ai.request');
      expect(error).toMatchObject({
        type: 'ai.error',
        data: {
          request_id: request!.data.request_id,
          conversation_id: null,
          error: { type: 'aborted', message: 'The request was aborted', retryable: false },
        },
      });
    },
  );

  it('finishes the answer for a client that disconnects if an Idempotency-Key lets it ask again', async () => {
    anthropic.hold();
    const before = anthropic.requests.length;
    const headers = { accept: 'application/json', 'idempotency-key': 'gone' };
    const client = new AbortController();
    const answer = open({ message: 'x' }, { headers, signal: client.signal });
    await anthropic.waitForInFlight(1);
    client.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    anthropic.release();
    const again = await gateway.api('POST', '/ai/generate', { message: 'x' }, { headers });
    expect(again).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    expect(anthropic.requests).toHaveLength(before + 1);
  });

  it("removes NUL and lone surrogates from the provider's text, complete and streamed", async () => {
    anthropic.replyWith(() => 'At \u0000nine \ud83d or ten \ud83d\ude42 \udc00');
    const clean = 'At nine \ufffd or ten 🙂 \ufffd';
    expect((await generate({ message: 'x' })).body.data.response).toBe(clean);
    const events = parseEvents((await stream({ message: 'x' })).text);
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => (data as { text: string }).text);
    expect(deltas.join('')).toBe(clean);
    expect((events.at(-1)!.data as ApiBody).data).toMatchObject({ response: clean });
  });

  it('replays a streamed answer', async () => {
    const headers = { 'idempotency-key': 'streamed' };
    const first = parseEvents((await stream({ message: 'x' }, { headers })).text);
    const asked = anthropic.requests.length;
    const again = await stream({ message: 'x' }, { headers });
    expect(again.headers['idempotent-replayed']).toBe('true');
    const events = parseEvents(again.text);
    const result = (list: ServerSentEvent[]) => (list.at(-1)!.data as ApiBody).data;
    expect(result(events)).toEqual(result(first));
    expect(events[0]).toEqual({ event: 'delta', data: { text: (result(first) as GeneratedDto).response } });
    const plain = await gateway.api('POST', '/ai/generate', { message: 'x' }, { headers });
    expect(plain).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: { data: result(first) } });
    expect(anthropic.requests).toHaveLength(asked);
  });

  it.each([
    [{}, 'MISSING_PARAMETER', { parameter: 'message' }],
    [{ message: 5 }, 'INVALID_PARAMETER', { parameter: 'message' }],
    [{ message: ' \n ' }, 'INVALID_PARAMETER', { parameter: 'message', reason: 'must not be blank', value: ' \n ' }],
    [
      { message: 'x', context: [{ role: 'system', content: 'x' }] },
      'INVALID_PARAMETER',
      { parameter: 'context[0].role' },
    ],
    [
      { message: 'x', context: Array.from({ length: 101 }, () => ({ role: 'user', content: 'x' })) },
      'INVALID_PARAMETER',
      { parameter: 'context' },
    ],
    [{ message: 'x', context: [[]] }, 'INVALID_PARAMETER', { parameter: 'context[0]' }],
    [{ message: 'x', context: [null] }, 'INVALID_PARAMETER', { parameter: 'context[0]' }],
    [{ message: 'x', options: { max_tokens: '5' } }, 'INVALID_PARAMETER', { parameter: 'options.max_tokens' }],
    [{ message: 'x', options: { temperature: 1.5 } }, 'INVALID_PARAMETER', { parameter: 'options.temperature' }],
    [
      { message: 'x', options: { temperature: '0.5' } },
      'INVALID_PARAMETER',
      { parameter: 'options.temperature', reason: 'must be a number from 0 to 1', value: '0.5' },
    ],
    [{ message: 'x', options: { top_k: 1 } }, 'INVALID_REQUEST', { fields: ['options.top_k'] }],
  ])('refuses %j', async (body, code, details) => {
    expect(await generate(body)).toMatchObject({ status: 400, body: { error: { code, details } } });
  });

  it('says so when no AI is configured', async () => {
    const unconfigured = await startTestGateway();
    const answer = await unconfigured.api('POST', '/ai/generate', { message: 'x' });
    expect(answer).toMatchObject(
      expectedError('AI_PROVIDER_ERROR', { provider: 'anthropic', type: 'not_configured', retryable: false }),
    );
    await unconfigured.stop();
  });
});
