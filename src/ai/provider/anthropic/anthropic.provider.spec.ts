import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AnthropicFake } from '../../../../test/fakes/anthropic.fake';
import type { AiRequest, AiStreamEvent } from '../ai-provider.port';
import { AnthropicProvider } from './anthropic.provider';
import { type AttemptObservation, RetryingProvider, type RetryingOptions } from '../retrying.provider';

const request: AiRequest = {
  model: 'claude-sonnet-4-6',
  system: 'Be brief. '.repeat(600),
  messages: [
    { role: 'user', content: 'My name is Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user', content: 'Who am I?' },
  ],
  maxTokens: 100,
  temperature: 0.5,
};

describe('the Messages API', () => {
  let fake: AnthropicFake;
  let provider: AnthropicProvider;

  beforeEach(async () => {
    fake = await new AnthropicFake().start();
    provider = new AnthropicProvider({ apiKey: fake.apiKey, baseUrl: fake.url });
  });
  afterEach(() => fake.stop());

  async function collect(stream: AsyncIterable<AiStreamEvent>) {
    const all: AiStreamEvent[] = [];
    for await (const event of stream) all.push(event);
    const text = all.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    return { text, final: all.at(-1), deltas: all.length - 1 };
  }

  describe(AnthropicProvider.name, () => {
    it('sends the conversation with its settings and returns the answer', async () => {
      const answer = await provider.complete(request);
      expect(answer).toMatchObject({ text: 'You said: Who am I?', model: 'claude-sonnet-4-6', stopReason: 'end_turn' });
      expect(answer.tokens.output).toBeGreaterThan(0);
      expect(Number.isInteger(answer.latencyMs)).toBe(true);
      const [sent] = fake.requests;
      expect(sent?.headers).toMatchObject({ authorization: `Bearer ${fake.apiKey}`, 'x-api-key': fake.apiKey });
      expect(sent?.body).toMatchObject({
        model: 'claude-sonnet-4-6',
        max_tokens: 100,
        temperature: 0.5,
        messages: request.messages,
      });
    });

    it('writes the instructions to the cache once, and reads them from then on', async () => {
      const first = await provider.complete(request);
      const second = await provider.complete({ ...request, messages: [{ role: 'user', content: 'Something else' }] });
      expect(first.tokens.cacheWrite).toBeGreaterThan(1000);
      expect(second.tokens).toMatchObject({ cacheRead: first.tokens.cacheWrite, cacheWrite: 0 });
    });

    it('streams the answer with the same text and tokens', async () => {
      fake.replyWith(() => 'An answer that comes in several pieces, not in one.');
      const whole = await provider.complete({ ...request, system: '' });
      const { text, final, deltas } = await collect(provider.stream({ ...request, system: '' }));
      expect(text).toBe(whole.text);
      expect(deltas).toBeGreaterThan(1);
      expect(final).toMatchObject({ completion: { text: whole.text, tokens: whole.tokens, stopReason: 'end_turn' } });
    });

    it('removes thinking from the answer', async () => {
      fake.replyWith(() => ({ text: 'Ada.', thinking: 'She said so.' }));
      expect((await provider.complete(request)).text).toBe('Ada.');
      expect((await collect(provider.stream(request))).text).toBe('Ada.');
    });

    it('makes one request per call, whatever the outcome', async () => {
      fake.fail({ status: 529 });
      await expect(provider.complete(request)).rejects.toMatchObject({ type: 'overloaded', retryable: true });
      expect(fake.requests).toHaveLength(1);
    });

    it.each(['drop_before', 'reset'] as const)('fails with a retryable error after %s', async (kind) => {
      fake.fail({ kind });
      await expect(provider.complete(request)).rejects.toMatchObject({ type: 'unavailable', retryable: true });
    });

    it('stops waiting for a server that hangs', async () => {
      const brief = new AnthropicProvider({ apiKey: fake.apiKey, baseUrl: fake.url, timeoutMs: 50 });
      fake.fail({ kind: 'hang', times: 2 });
      await expect(brief.complete(request)).rejects.toMatchObject({ type: 'timeout', retryable: true });
      await expect(provider.complete(request, AbortSignal.timeout(50))).rejects.toMatchObject({ type: 'timeout' });
    });

    it('ends the request when the caller aborts, also in the middle of a stream', async () => {
      fake.hold();
      const abort = new AbortController();
      const call = provider.complete(request, abort.signal);
      await fake.waitForInFlight(1);
      abort.abort();
      await expect(call).rejects.toMatchObject({ type: 'aborted', retryable: false });
      await fake.waitForInFlight(0);
      fake.release();

      fake.replyWith(() => 'one two three four five six seven eight nine ten '.repeat(20));
      fake.streamPauseMs = 20;
      const leaving = new AbortController();
      const reading = async () => {
        for await (const event of provider.stream(request, leaving.signal)) {
          if (event.type === 'delta') leaving.abort();
        }
      };
      await expect(reading()).rejects.toMatchObject({ type: 'aborted' });
    });

    it('reports that the API refuses its key', async () => {
      fake.apiKey = 'sk-ant-changed';
      await expect(provider.complete(request)).rejects.toMatchObject({ type: 'authentication', retryable: false });
    });
  });

  describe(RetryingProvider.name, () => {
    const observed: AttemptObservation[] = [];
    const retrying = (options: RetryingOptions = {}) =>
      new RetryingProvider(provider, {
        onAttempt: (attempt) => observed.push(attempt),
        ...options,
        policy: { baseDelayMs: 1, ...options.policy },
      });

    beforeEach(() => {
      observed.length = 0;
    });

    it('answers after any temporary failure', async () => {
      for (const status of [500, 503, 529]) fake.fail({ status });
      for (const kind of ['drop_before', 'reset'] as const) fake.fail({ kind });
      fake.fail({ status: 429, retryAfter: 0.05 });
      expect(await retrying().complete(request)).toMatchObject({ text: 'You said: Who am I?' });
      expect(observed.map(({ error }) => error?.type)).toEqual([
        'unavailable',
        'unavailable',
        'overloaded',
        'unavailable',
        'unavailable',
        'rate_limited',
        undefined,
      ]);
    });

    it('waits as long as retry-after says', async () => {
      fake.fail({ status: 429, retryAfter: 0.3 });
      await retrying().complete(request);
      const [first, second] = fake.requests;
      expect(second!.receivedAt.getTime() - first!.receivedAt.getTime()).toBeGreaterThanOrEqual(295);
    });

    it('asks eight times, then the fallback model', async () => {
      fake.fail({ status: 529, times: 8 });
      const answer = await retrying().complete({ ...request, fallbackModels: ['claude-haiku-4-5'] });
      expect(answer.model).toBe('claude-haiku-4-5');
      expect(fake.requests.map(({ body }) => body.model)).toEqual([
        ...Array<string>(8).fill('claude-sonnet-4-6'),
        'claude-haiku-4-5',
      ]);
    });

    it.each([400, 401, 403])('does not retry after a %i', async (status) => {
      fake.fail({ status, times: Infinity });
      await expect(retrying().complete({ ...request, fallbackModels: ['other'] })).rejects.toMatchObject({ status });
      expect(fake.requests).toHaveLength(1);
    });

    it('fails in time if the server keeps hanging', async () => {
      fake.fail({ kind: 'hang', times: Infinity });
      const policy = { callBudgetMs: 300, attemptTimeoutMs: 100, minAttemptMs: 20 };
      await expect(retrying({ policy }).complete(request)).rejects.toMatchObject({ type: 'timeout' });
      expect(fake.requests.length).toBeGreaterThanOrEqual(2);
    });

    it('omits a temperature that the model rejects, after one failed attempt per process', async () => {
      const sut = retrying();
      const asked = { ...request, model: 'claude-sonnet-5-5' };
      await sut.complete(asked);
      await sut.complete(asked);
      expect(fake.requests.map(({ body }) => body.temperature)).toEqual([0.5, undefined, undefined]);
    });

    it('retries a stream until it begins', async () => {
      fake.fail({ status: 529, times: 2 });
      expect((await collect(retrying().stream(request))).text).toBe('You said: Who am I?');
      expect(observed.map(({ next }) => next.step)).toEqual(['retry', 'retry', 'answered']);
    });

    it('does not restart a stream that broke off in the middle', async () => {
      fake.interruptStream(1, 529);
      await expect(collect(retrying().stream(request))).rejects.toMatchObject({ type: 'overloaded' });
      fake.interruptStream(1);
      await expect(collect(retrying().stream(request))).rejects.toMatchObject({ type: 'unavailable' });
      expect(fake.requests).toHaveLength(2);
    });
  });
});

describe('a compatible server that omits fields', () => {
  let server: Server;
  let provider: AnthropicProvider;
  let answer: object;
  let pieces = ['Ada.'];

  beforeAll(async () => {
    server = createServer((asked, response) => {
      let body = '';
      asked.on('data', (chunk) => (body += String(chunk)));
      asked.on('end', () => {
        const { stream } = JSON.parse(body) as { stream?: boolean };
        if (!stream) {
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const events = [
          { type: 'message_start', message: answer },
          ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
          { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
          { type: 'message_stop' },
        ];
        response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    provider = new AnthropicProvider({ apiKey: 'key', baseUrl: `http://127.0.0.1:${port}` });
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const TEXT = [{ type: 'text', text: 'Ada.' }];

  it('gets the requested model and reports no tokens', async () => {
    answer = { type: 'message', role: 'assistant', content: TEXT };
    const expected = { text: 'Ada.', model: request.model, tokens: NOTHING };
    expect(await provider.complete(request)).toMatchObject(expected);
    const events: AiStreamEvent[] = [];
    for await (const event of provider.stream(request)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'final', completion: expected });
  });

  it.each([
    [
      ['a\ud83d', '\ude42b'],
      ['a', '🙂b'],
    ],
    [['\ud83d', 'x'], ['\ufffdx']],
    [
      ['a\u0000', '\u0000', 'b\ud83d'],
      ['a', 'b', '\ufffd'],
    ],
  ])('streams %j, passed on as %j', async (told, passedOn) => {
    answer = { type: 'message', role: 'assistant', content: TEXT };
    pieces = told;
    const events: AiStreamEvent[] = [];
    for await (const event of provider.stream(request)) events.push(event);
    expect(events.flatMap((event) => (event.type === 'delta' ? [event.text] : []))).toEqual(passedOn);
    expect(events.at(-1)).toMatchObject({ completion: { text: passedOn.join('') } });
  });

  it('fails without content, and reports the tokens of the answer', async () => {
    answer = { type: 'message', role: 'assistant', usage: { input_tokens: 7, output_tokens: 5 } };
    await expect(provider.complete(request)).rejects.toMatchObject({
      type: 'unavailable',
      tokens: { ...NOTHING, input: 7, output: 5 },
    });
  });
});
