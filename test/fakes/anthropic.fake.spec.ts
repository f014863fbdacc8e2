import Anthropic, {
  APIConnectionError,
  APIError,
  BadRequestError,
  InternalServerError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { png } from '../support/png';
import { errorBody } from './anthropic-errors';
import { AnthropicFake } from './anthropic.fake';

describe(AnthropicFake.name, () => {
  let fake: AnthropicFake;
  let client: Anthropic;

  const hello = {
    model: 'claude-test',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hello there' }],
  };
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => Promise.reject(new Error('it was accepted')),
      (error: unknown) => error as APIError,
    );
  /** Sends a body that the SDK's types forbid. */
  const create = (body: Record<string, unknown>) => client.post('/v1/messages', { body }) as Promise<unknown>;

  beforeEach(async () => {
    fake = await new AnthropicFake({ minimumCacheTokens: 4 }).start();
    client = new Anthropic({ apiKey: fake.apiKey, baseURL: fake.url, maxRetries: 0 });
  });

  afterEach(() => fake.stop());

  it('repeats the last user text and counts tokens', async () => {
    const { data, response } = await client.messages.create(hello).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [{ type: 'text', text: 'You said: Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('999');
  });

  it('records the requests', async () => {
    await client.messages.create({ ...hello, system: 'Be brief.' });
    expect(fake.requests).toMatchObject([
      {
        operation: 'messages',
        body: { ...hello, system: 'Be brief.' },
        headers: { authorization: `Bearer ${fake.apiKey}` },
      },
    ]);
  });

  it('answers as scripted: text, stop reason, thinking and usage', async () => {
    fake.replyWith(({ messages }) => ({
      text: `${messages.length}`,
      stopReason: 'refusal',
      usage: { input_tokens: 77 },
    }));
    expect(await client.messages.create(hello)).toMatchObject({
      content: [{ text: '1' }],
      stop_reason: 'refusal',
      usage: { input_tokens: 77, output_tokens: 1 },
    });
    fake.replyWith(() => Promise.resolve({ text: 'Yes.', thinking: 'Hm.' }));
    const { content } = await client.messages.create(hello);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  });

  it('cuts an answer at max_tokens', async () => {
    const message = await client.messages.create({ ...hello, max_tokens: 2 });
    expect(message).toMatchObject({ content: [{ text: 'You said' }], stop_reason: 'max_tokens' });
  });

  it('reports a cached prefix as written once, then as read', async () => {
    const system = [{ type: 'text' as const, text: 'x'.repeat(40), cache_control: { type: 'ephemeral' as const } }];
    const usages = [
      await client.messages.create({ ...hello, system }),
      await client.messages.create({ ...hello, system }),
    ];
    expect(usages.map(({ usage }) => usage)).toMatchObject([
      { input_tokens: 3, cache_creation_input_tokens: 10, cache_read_input_tokens: 0 },
      { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 10 },
    ]);
  });

  it('reports only what a growing conversation added to the cache as written', async () => {
    const cached = {
      ...hello,
      cache_control: { type: 'ephemeral' as const, ttl: '1h' as const },
      system: 'x'.repeat(40),
    };
    await client.messages.create(cached);
    const messages = [
      ...hello.messages,
      { role: 'assistant' as const, content: 'Hi' },
      { role: 'user' as const, content: 'More' },
    ];
    const { usage } = await client.messages.create({ ...cached, messages });
    expect(usage).toMatchObject({
      input_tokens: 0,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 13,
      cache_creation: { ephemeral_1h_input_tokens: 2, ephemeral_5m_input_tokens: 0 },
    });
  });

  describe('streaming', () => {
    it('sends events in order that add up to the message', async () => {
      const stream = client.messages.stream(hello);
      const types: string[] = [];
      let text = '';
      stream.on('streamEvent', ({ type }) => types.push(type)).on('text', (delta) => (text += delta));
      const message = await stream.finalMessage();
      expect([...new Set(types)]).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
      expect(types.filter((type) => type === 'content_block_delta').length).toBeGreaterThan(1);
      expect(text).toBe('You said: Hello there');
      expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 6 } });
    });

    it('keeps every character, white space and emoji too', async () => {
      const text = '  Two\n\nlines  👩‍👩‍👧 and\ta tab \n';
      fake.replyWith(() => text);
      expect(await client.messages.stream(hello).finalText()).toBe(text);
    });

    it('sends a thinking block first if there is one', async () => {
      fake.replyWith(() => ({ text: 'Yes.', thinking: 'Hm.' }));
      const { content } = await client.messages.stream(hello).finalMessage();
      expect(content).toMatchObject([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ]);
    });

    it.each([
      ['an error event', 529, 'overloaded_error'],
      ['a closed socket', undefined, undefined],
    ])('ends early with %s, once', async (_, status, type) => {
      fake.interruptStream(2, status);
      const stream = client.messages.stream(hello);
      let text = '';
      stream.on('text', (delta) => (text += delta));
      const error = await refusal(stream.finalMessage());
      expect(text).toBe('You said:');
      expect(error.type ?? undefined).toBe(type);
      expect(await client.messages.stream(hello).finalText()).toBe('You said: Hello there');
    });

    it('rejects a request for a stream with a status before the stream begins', async () => {
      fake.fail({ status: 529 });
      expect(await refusal(client.messages.stream(hello).finalMessage())).toMatchObject({
        status: 529,
        type: 'overloaded_error',
      });
    });
  });

  describe('rejects', () => {
    it('a request with a wrong API key', async () => {
      const stranger = new Anthropic({ apiKey: 'sk-ant-wrong', baseURL: fake.url, maxRetries: 0 });
      const error = await refusal(stranger.messages.create(hello));
      expect(error.error).toMatchObject({
        type: 'error',
        error: { type: 'authentication_error', message: 'invalid x-api-key' },
        request_id: expect.stringMatching(/^req_/),
      });
      expect([error.status, error.requestID]).toEqual([401, (error.error as { request_id: string }).request_id]);
    });

    const user = { role: 'user', content: 'Hello' };
    it.each([
      ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
      ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
      ['no model', { model: undefined }, 'model: Field required'],
      ['no messages', { messages: [] }, 'messages: at least one message is required'],
      [
        'an assistant who begins',
        { messages: [{ role: 'assistant', content: 'Hi' }] },
        'messages: first message must use the "user" role',
      ],
      [
        'neighbours of one role',
        { messages: [user, user] },
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
      ],
      [
        'another role',
        { messages: [{ ...user, role: 'tool' }] },
        "messages.0.role: Input should be 'user' or 'assistant'",
      ],
      [
        'empty content',
        { messages: [{ ...user, content: '' }] },
        'messages.0: all messages must have non-empty content',
      ],
      [
        'an empty block',
        { messages: [{ ...user, content: [{ type: 'text', text: '' }] }] },
        'messages: text content blocks must be non-empty',
      ],
      [
        'blank content',
        { messages: [{ ...user, content: ' \n' }] },
        'messages: text content blocks must contain non-whitespace text',
      ],
      ['a temperature above 1', { temperature: 1.1 }, 'temperature: range: 0..1'],
      ['a temperature below 0', { temperature: -0.1 }, 'temperature: range: 0..1'],
      [
        'a temperature for a model that has none',
        { model: 'claude-sonnet-5', temperature: 0.7 },
        '`temperature` is deprecated for this model.',
      ],
    ])('%s', async (_, change, message) => {
      const error = await refusal(create({ ...hello, ...change }));
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', apiMessage: message });
    });

    it('a request without an API key, and accepts the key in the header x-api-key', async () => {
      const ask = (headers: Record<string, string>) =>
        fetch(`${fake.url}/v1/messages`, {
          method: 'POST',
          headers: { 'anthropic-version': '2023-06-01', ...headers },
          body: JSON.stringify(hello),
        });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ 'x-api-key': fake.apiKey })).status).toBe(200);
    });

    it('a body that is not JSON', async () => {
      const headers = {
        'x-api-key': fake.apiKey,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      };
      const answer = await fetch(`${fake.url}/v1/messages`, { method: 'POST', headers, body: '{' });
      expect(answer.status).toBe(400);
    });

    it('a request for the list of models', async () => {
      expect(await refusal(client.models.list().then((page) => page))).toMatchObject({
        status: 404,
        type: 'not_found_error',
      });
    });
  });

  describe('temperature', () => {
    it.each(['claude-opus-4-6', 'claude-haiku-4-5-20251001', 'claude-sonnet-4-20250514'])(
      'is accepted for %s',
      async (model) => {
        await create({ ...hello, model, temperature: 0.5 });
      },
    );

    it.each(['claude-opus-4-7', 'claude-sonnet-5-5', 'claude-mythos-preview'])(
      'is rejected for %s, except 1',
      async (model) => {
        await create({ ...hello, model, temperature: 1 });
        await expect(create({ ...hello, model, temperature: 0.5 })).rejects.toThrow('deprecated for this model');
      },
    );
  });

  describe('faults', () => {
    it('answers 429 with the time to retry and no requests left', async () => {
      fake.fail({ status: 429, retryAfter: 7 });
      const error = await refusal(client.messages.create(hello));
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error.type).toBe('rate_limit_error');
      const header = (name: string) => error.headers?.get(name);
      expect([
        header('retry-after'),
        header('anthropic-ratelimit-requests-remaining'),
        header('x-should-retry'),
      ]).toEqual(['7', '0', 'true']);
      expect(Date.parse(header('anthropic-ratelimit-requests-reset')!)).toBeGreaterThan(Date.now());
    });

    it('answers 429 for a spend limit with the code of the limit', async () => {
      const body = errorBody(429, 'You have reached your usage limits.', 'enforced_spend_limit_reached');
      fake.fail({ status: 429, body, headers: { 'x-should-retry': 'false' } });
      expect(await refusal(client.messages.create(hello))).toMatchObject({ errorCode: 'enforced_spend_limit_reached' });
    });

    it.each([
      [529, 'overloaded_error'],
      [500, 'api_error'],
      [503, 'api_error'],
      [504, 'timeout_error'],
    ])('%i is %s', async (status, type) => {
      fake.fail({ status });
      const error = await refusal(client.messages.create(hello));
      expect(error).toBeInstanceOf(InternalServerError);
      expect(error).toMatchObject({ status, type });
    });

    it('answers faults so that the SDK retries them by itself', async () => {
      fake.fail({ method: 'messages', times: 2, status: 529, headers: { 'retry-after-ms': '1' } });
      await client.messages.create(hello, { maxRetries: 2 });
      expect(fake.requests).toHaveLength(3);
    });

    it.each(['drop_before', 'drop_after', 'reset'] as const)('%s is a lost connection', async (kind) => {
      fake.fail({ kind });
      expect(await refusal(client.messages.create(hello))).toBeInstanceOf(APIConnectionError);
    });

    it('holds a hanging request until the client aborts', async () => {
      fake.fail({ kind: 'hang' });
      expect(await refusal(client.messages.create(hello, { timeout: 50 }))).toMatchObject({
        message: 'Request timed out.',
      });
    });
  });

  describe('files that the API rejects', () => {
    const file = (type: string, media_type: string, bytes: Buffer) =>
      [{ type, source: { type: 'base64', media_type, data: bytes.toString('base64') } }] as never;
    const refused = (content: never) =>
      refusal(client.messages.create({ ...hello, messages: [{ role: 'user', content }] }));
    const pdf = (pages: number) => Buffer.from(`%PDF-1.4\n${'<< /Type /P#61ge >>\n'.repeat(pages)}`);

    it.each([
      ['above 8,000 pixels a side', file('image', 'image/png', png(1_080, 8_001)), /max allowed size: 8000 pixels/],
      ['above 5 MB of base64', file('image', 'image/png', png(1, 1, 4_000_000)), /image exceeds 5 MB maximum/],
      ['no PDF', file('document', 'application/pdf', Buffer.from('PK')), /The PDF specified was not valid/],
      ['above 100 pages', file('document', 'application/pdf', pdf(101)), /A maximum of 100 PDF pages/],
    ])('%s', async (_, content, message) => {
      const error = await refused(content);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(String(error)).toMatch(/messages\.0\.content\.0\./);
      expect(String(error)).toMatch(message);
    });

    it('a prompt that is too long', async () => {
      const messages = [{ role: 'user' as const, content: 'word'.repeat(200_001) }];
      const error = await refusal(client.messages.create({ ...hello, messages }));
      expect(String(error)).toContain('prompt is too long: 200001 tokens > 200000 maximum');
    });

    it('files up to these limits are accepted, and a PDF counts by its pages', async () => {
      const content = [
        ...(file('image', 'image/png', png(8_000, 8_000, 3_900_000)) as object[]),
        ...(file('document', 'application/pdf', pdf(100)) as object[]),
      ] as never;
      const { usage } = await client.messages.create({ ...hello, messages: [{ role: 'user', content }] });
      expect(usage.input_tokens).toBeGreaterThan(150_000);
    });
  });

  it('holds responses back until the test releases them, and says how many it holds', async () => {
    fake.hold();
    const calls = [client.messages.create(hello), client.messages.create(hello)];
    expect(await fake.waitForRequests(2)).toHaveLength(2);
    await fake.waitForInFlight(2);
    fake.release();
    await Promise.all(calls);
    expect(fake.inFlight).toBe(0);
  });

  it('forgets a held request whose client went away', async () => {
    fake.hold();
    const controller = new AbortController();
    const call = refusal(client.messages.create(hello, { signal: controller.signal }));
    await fake.waitForInFlight(1);
    controller.abort();
    await call;
    await fake.waitForInFlight(0);
  });
});
