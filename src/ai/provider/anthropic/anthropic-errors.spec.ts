import { type Answer, HttpFake } from '../../../../test/fakes/http-fake';
import type { AiRequest, AiStreamEvent } from '../ai-provider.port';
import { AnthropicProvider } from './anthropic.provider';

const KEY = 'sk-ant-api03-secret-of-ours';
const request: AiRequest = {
  model: 'claude-sonnet-4-6',
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hello' }],
  maxTokens: 100,
  temperature: 0.5,
};

/** Gives any answer that a test sets, in the API's form or not: answers that the faithful fake never gives. */
class AnyAnswer extends HttpFake {
  answer: Answer = { status: 500 };

  protected override operationOf() {
    return 'messages';
  }
  protected override handle() {
    return this.answer;
  }
  protected override errorAnswer(status: number): Answer {
    return { status };
  }
}

const apiError = (type: string, message: string, details?: object) => ({
  type: 'error',
  error: { type, message, details },
  request_id: 'req_1',
});
const message = (part: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: null },
  ...part,
});
const events = (...list: { type: string }[]): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  stream: async (response) => {
    for (const event of list) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
});

describe('the errors of the Messages API', () => {
  const server = new AnyAnswer();
  let sut: AnthropicProvider;

  beforeAll(async () => {
    await server.start();
    sut = new AnthropicProvider({ apiKey: KEY, baseUrl: server.url });
  });
  afterAll(() => server.stop());

  const failing = (answer: Answer, signal?: AbortSignal) => {
    server.answer = answer;
    return sut.complete(request, signal).then(
      () => Promise.reject(new Error('it answered')),
      (error: unknown) => error,
    );
  };

  it.each([
    [400, 'invalid_request_error', 'invalid_request', false],
    [401, 'authentication_error', 'authentication', false],
    [402, 'billing_error', 'spend_limit', false],
    [403, 'permission_error', 'permission_denied', false],
    [404, 'not_found_error', 'model_not_found', false],
    [413, 'request_too_large', 'request_too_large', false],
    [429, 'rate_limit_error', 'rate_limited', true],
    [500, 'api_error', 'unavailable', true],
    [503, 'api_error', 'unavailable', true],
    [504, 'timeout_error', 'timeout', true],
    [529, 'overloaded_error', 'overloaded', true],
    [418, 'overloaded_error', 'overloaded', true],
    [418, 'constructor', 'invalid_request', false],
  ])('maps status %s with %s to %s', async (status, apiType, type, retryable) => {
    const error = await failing({ status, body: apiError(apiType, 'said so') });
    expect(error).toMatchObject({ type, retryable, status, message: `The AI provider answered ${status}: said so` });
  });

  it.each([
    [429, 'rate_limit_error', 'Contract limit.', { error_code: 'contract_spend_limit_reached' }],
    [429, 'rate_limit_error', 'This would exceed your organization’s monthly spend limit.', undefined],
    [400, 'invalid_request_error', 'You have reached your specified API usage limits.', undefined],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API.', undefined],
  ])('does not retry a %s about a spend limit', async (status, type, text, details) => {
    const error = await failing({ status, headers: { 'retry-after': '5' }, body: apiError(type, text, details) });
    expect(error).toMatchObject({ type: 'spend_limit', retryable: false });
  });

  it.each([
    ['7', 7],
    ['0.5', 0.5],
    ['-3', 0],
    ['soon', undefined],
  ])('reads retry-after %s as %s seconds', async (header, seconds) => {
    const headers = { 'retry-after': header };
    const error = await failing({ status: 429, headers, body: apiError('rate_limit_error', 'Slow down.') });
    expect(error).toMatchObject({ retryAfterSeconds: seconds });
  });

  it('reads a date in retry-after', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 30_000).toUTCString() };
    const error = await failing({ status: 529, headers, body: apiError('overloaded_error', 'Overloaded') });
    expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(28);
  });

  it('does not retry if the server says so', async () => {
    const error = await failing({ status: 500, headers: { 'x-should-retry': 'false' }, body: {} });
    expect(error).toMatchObject({ type: 'unavailable', retryable: false });
  });

  it('never show a key, a URL’s credentials or the page of a proxy', async () => {
    const text = `key ${KEY} or sk-ant-api03-other at https://user:pass@proxy.example`;
    const said = (await failing({ status: 401, body: apiError('authentication_error', text) })) as Error;
    expect(said.message).toBe(
      'The AI provider answered 401: key [redacted] or [redacted] at https://[redacted]@proxy.example',
    );
    const proxy = (await failing({ status: 502, body: '<html>proxy-7.internal</html>' })) as Error;
    expect(proxy).toMatchObject({ type: 'unavailable', message: 'The AI provider answered 502' });
  });

  it.each([{}, '<html>', { content: 'text' }, [], null])('reject %j with status 200', async (body) => {
    const headers = { 'content-type': 'application/json' };
    expect(await failing({ status: 200, headers, body: JSON.stringify(body) })).toMatchObject({ type: 'unavailable' });
  });

  it('reject broken JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await failing({ status: 200, headers, body: '{"content": [' })).toMatchObject({
      type: 'unavailable',
      retryable: true,
    });
  });

  it.each([
    ['max_tokens', /max_tokens/],
    ['end_turn', /without text/],
  ])('are empty_response after %s without text, with its tokens', async (stop_reason, why) => {
    const content = [{ type: 'thinking', thinking: 'hm', signature: '' }];
    const error = await failing({ status: 200, body: message({ content, stop_reason }) });
    expect(error).toMatchObject({ type: 'empty_response', retryable: false, message: expect.stringMatching(why) });
    expect(error).toMatchObject({ tokens: { input: 5, output: 3, cacheRead: 0, cacheWrite: 0 } });
  });

  it.each([[[]], [[{ type: 'text', text: 'I can start by' }]]])(
    'are refusal after a refusal with content %j, with its tokens',
    async (content) => {
      const error = await failing({ status: 200, body: message({ content, stop_reason: 'refusal' }) });
      expect(error).toMatchObject({ type: 'refusal', retryable: false, tokens: { input: 5, output: 3 } });
    },
  );

  it('do not occur if max_tokens cuts an answer short', async () => {
    server.answer = {
      status: 200,
      body: message({ content: [{ type: 'text', text: 'Well' }], stop_reason: 'max_tokens' }),
    };
    expect(await sut.complete(request)).toMatchObject({ text: 'Well', stopReason: 'max_tokens' });
  });

  it('make the provider omit a temperature that the model has rejected', async () => {
    const refusing = new AnthropicProvider({ apiKey: KEY, baseUrl: server.url });
    server.answer = {
      status: 400,
      body: apiError('invalid_request_error', '`temperature` is deprecated for this model.'),
    };
    await expect(refusing.complete(request)).rejects.toMatchObject({ type: 'invalid_request', retryable: true });
    await expect(refusing.complete(request)).rejects.toMatchObject({ type: 'invalid_request', retryable: false });
    expect(server.requests.slice(-2).map(({ body }) => body['temperature'])).toEqual([0.5, undefined]);
  });

  describe('in a stream', () => {
    const start = { type: 'message_start', message: message({}) };
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } };

    const reading = async (answer: Answer) => {
      server.answer = answer;
      const seen: AiStreamEvent[] = [];
      const failed = await (async () => {
        for await (const event of sut.stream(request)) seen.push(event);
      })().catch((error: unknown) => error);
      return { seen, failed };
    };

    it('follow the type of an error event', async () => {
      const error = { ...apiError('overloaded_error', 'Overloaded'), type: 'error' };
      const { seen, failed } = await reading(events(start, delta, error));
      expect(seen).toEqual([{ type: 'delta', text: 'Hel' }]);
      expect(failed).toMatchObject({ type: 'overloaded', retryable: true });
    });

    it('are unavailable after a stream that was cut off', async () => {
      const { failed } = await reading(events(start, delta));
      expect(failed).toMatchObject({ type: 'unavailable', retryable: true });
    });

    it('are empty_response if no text came', async () => {
      const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } };
      const { failed } = await reading(events(start, end, { type: 'message_stop' }));
      expect(failed).toMatchObject({ type: 'empty_response', tokens: { input: 5, output: 9 } });
    });

    it('are refusal if the model broke the text off', async () => {
      const end = { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 9 } };
      const { seen, failed } = await reading(events(start, delta, end, { type: 'message_stop' }));
      expect(seen).toEqual([{ type: 'delta', text: 'Hel' }]);
      expect(failed).toMatchObject({ type: 'refusal', retryable: false, tokens: { input: 5, output: 9 } });
    });
  });
});

describe('an API that cannot be reached', () => {
  it.each(['http://127.0.0.1:9', 'http://user:pass@127.0.0.1:9', 'not a url'])(
    'does not show the address %s in the error',
    async (baseUrl) => {
      const sut = new AnthropicProvider({ apiKey: KEY, baseUrl });
      const error = (await sut.complete(request).catch((e: unknown) => e)) as Error;
      expect(error).toMatchObject({ type: 'unavailable', retryable: true });
      expect(error.message).toMatch(/^The AI provider could not be reached( \([A-Z_]+\))?$/);
    },
  );
});
