import type { EventPayload } from '#contracts';
import type { AiStatusDto, GeneratedDto } from '../../../src/ai/dto/ai.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { OpenAiFake } from '../../fakes/openai.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** A pause that no call waits out: it ends after one attempt of each model. */
const LONG_PAUSE = 86_400;
const PRICE = { input: 1, output: 1 };
const MODELS = ['gpt-5-mini', 'gpt-4o', 'openai/gpt-oss-20b', 'tiny'];

describe('The models of two providers', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;
  let openai: OpenAiFake;
  let telegram: TelegramFake;

  beforeAll(async () => {
    [anthropic, openai, telegram] = await Promise.all([
      new AnthropicFake().start(),
      new OpenAiFake().start(),
      new TelegramFake().start(),
    ]);
    gateway = await startTestGateway({ anthropic, openai, telegram });
    await gateway.connected('telegram');
  }, 90_000);
  beforeEach(() => {
    openai.models = MODELS;
    anthropic.replyWith(() => 'Claude here.');
    openai.replyWith(() => 'GPT here.');
  });
  afterEach(async () => {
    for (const fake of [anthropic, openai]) {
      fake.clearFaults();
      fake.release();
    }
    const ai = { provider: 'anthropic', model: 'claude-sonnet-5-5', fallback_models: [], budget: { daily_usd: 50 } };
    await settings({ ai });
  });

  const settings = async (body: object) =>
    expect(await gateway.api('PATCH', '/admin/settings', body)).toMatchObject({ status: 200 });
  const generate = (options: object = {}, key?: string) =>
    gateway.api<GeneratedDto>('POST', '/ai/generate', { message: 'Hello', options }, { key });
  const status = async (key?: string) =>
    (await gateway.api<AiStatusDto>('GET', '/ai/status', undefined, { key })).body.data;
  const events = (type: string) =>
    gateway
      .sql<{ body: string }>(`SELECT body FROM events WHERE type = $1 ORDER BY created_at, id`, [type])
      .then((rows) => rows.map(({ body }) => (JSON.parse(body) as EventPayload<'ai.response'>).data));

  it.each([
    ['openai/gpt-5-mini', 'anthropic', 'openai/gpt-5-mini', 'gpt-5-mini'],
    ['gpt-5-mini', 'openai', 'openai/gpt-5-mini', 'gpt-5-mini'],
    ['openai/openai/gpt-oss-20b', 'anthropic', 'openai/openai/gpt-oss-20b', 'openai/gpt-oss-20b'],
    ['anthropic/claude-haiku-4-5', 'openai', 'claude-haiku-4-5', 'claude-haiku-4-5'],
  ])('asks for %s with the provider %s, and shows %s', async (model, provider, shown, asked) => {
    await settings({ ai: { provider } });
    const answer = await generate({ model });
    expect(answer).toMatchObject({ status: 200, body: { data: { model: shown } } });
    const fake = shown.startsWith('openai/') ? openai : anthropic;
    expect(fake.requests.at(-1)!.body).toMatchObject({ model: asked });
    expect((await events('ai.request')).at(-1)).toMatchObject({ model: shown });
    expect((await events('ai.response')).at(-1)).toMatchObject({ model: shown });
    expect((await generate({ model }, gateway.testKey)).body.data.model).toBe(
      provider === 'openai' && !model.includes('/') ? model : shown,
    );
  });

  it('streams an answer of either provider, and asks for its usage', async () => {
    const text = await fetch(`${gateway.url}/api/v1/ai/generate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ message: 'Hello', options: { model: 'openai/gpt-5-mini' } }),
    }).then((response) => response.text());
    expect(text).toContain('event: result');
    expect(text).toContain('"model":"openai/gpt-5-mini"');
    expect(openai.requests.at(-1)!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('answers people by the fallback of another provider in the middle of an outage, each with its own health', async () => {
    await settings({ ai: { fallback_models: ['openai/gpt-5-mini'] } });
    anthropic.fail({ status: 529, times: Infinity, retryAfter: LONG_PAUSE });
    const sent = telegram.sent.length;
    for (let person = 1; person <= 6; person++) telegram.receiveText({ chatId: 700 + person, text: 'Hello' });
    const answers = (await telegram.waitForSent(sent + 6)).slice(sent);
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => 'GPT here.'));
    expect(await status()).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      status: 'degraded',
      providers: [
        { name: 'anthropic', status: 'unavailable' },
        { name: 'openai', status: 'available' },
      ],
    });
    const { body } = await gateway.api('GET', '/status');
    expect(body.data).toMatchObject({ components: { ai_provider: 'degraded' } });

    anthropic.clearFaults();
    openai.fail({ status: 500, times: Infinity, retryAfter: LONG_PAUSE });
    await generate();
    const failed = await generate({ model: 'openai/tiny' });
    expect(failed).toMatchObject({
      status: 500,
      body: { error: { details: { provider: 'openai', type: 'unavailable' } } },
    });
    expect((await status()).providers).toEqual([
      { name: 'anthropic', status: 'available' },
      { name: 'openai', status: 'degraded' },
    ]);
    openai.clearFaults();
    await generate({ model: 'openai/tiny' });
    expect(await status(gateway.testKey)).toMatchObject({
      provider: 'sandbox',
      providers: [{ name: 'sandbox', status: 'available' }],
      unpriced_models: [],
    });
  });

  describe('a preview', () => {
    let conversation_id: string;
    const preview = (tried: object, key?: string) =>
      gateway.api<GeneratedDto>('POST', '/ai/preview', { conversation_id, settings: tried }, { key });

    beforeAll(async () => {
      const sent = telegram.sent.length;
      telegram.receiveText({ chatId: 950, text: 'Hello' });
      await telegram.waitForSent(sent + 1);
      const { body } = await gateway.api<{ conversation_id: string }[]>('GET', '/messages?per_page=1');
      ({ conversation_id } = body.data[0]!);
    });

    it.each([
      ['anthropic', { provider: 'openai', model: 'gpt-4o' }, 'openai/gpt-4o'],
      ['anthropic', { provider: 'openai' }, 'openai/gpt-5-mini'],
      ['anthropic', { provider: 'openai', model: 'anthropic/claude-haiku-4-5' }, 'claude-haiku-4-5'],
      ['openai', { provider: 'anthropic', model: 'claude-haiku-4-5' }, 'claude-haiku-4-5'],
    ])('with the provider %s and the settings %j asks %s', async (provider, tried, shown) => {
      await settings({ ai: { provider } });
      expect(await preview(tried)).toMatchObject({ status: 200, body: { data: { model: shown } } });
    });

    it('asks the fallback models of the provider that is tried', async () => {
      openai.fail({ status: 500, times: 1, retryAfter: LONG_PAUSE });
      const tried = { provider: 'openai', model: 'tiny', fallback_models: ['gpt-4o'] };
      expect(await preview(tried)).toMatchObject({ status: 200, body: { data: { model: 'openai/gpt-4o' } } });
    });

    it('compares the models of a key with those of the provider that is tried', async () => {
      const made = await gateway.api<{ key: string }>('POST', '/admin/api-keys', {
        name: 'Preview',
        scopes: ['admin:settings'],
        ai_models: ['openai/gpt-4o'],
      });
      const { key } = made.body.data;
      expect(await preview({ provider: 'openai', model: 'gpt-4o' }, key)).toMatchObject({ status: 200 });
      for (const [model, value] of [
        ['claude-sonnet-5-5', 'openai/claude-sonnet-5-5'],
        [undefined, 'openai/gpt-5-mini'],
      ])
        expect(await preview({ provider: 'openai', model }, key)).toMatchObject(
          expectedError('INVALID_PARAMETER', {
            parameter: 'settings.model',
            reason: 'must be one of openai/gpt-4o',
            value,
          }),
        );
    });
  });

  it('compares the models of a key by their full names, and shows names that mean them', async () => {
    await settings({ ai: { provider: 'openai' } });
    const made = await gateway.api<{ id: string; key: string }>('POST', '/admin/api-keys', {
      name: 'Models',
      scopes: ['write:messages'],
      ai_models: ['gpt-5-mini', 'openai/gpt-5-mini', 'anthropic/claude-haiku-4-5'],
    });
    expect(made.body.data).toMatchObject({ ai_models: ['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5'] });
    await settings({ ai: { provider: 'anthropic' } });
    const { id, key } = made.body.data;
    expect((await gateway.api('GET', `/admin/api-keys/${id}`)).body.data).toMatchObject({
      ai_models: ['openai/gpt-5-mini', 'claude-haiku-4-5'],
    });
    for (const model of ['openai/gpt-5-mini', 'claude-haiku-4-5', 'anthropic/claude-haiku-4-5', 'claude-sonnet-5-5'])
      expect(await generate({ model }, key)).toMatchObject({ status: 200 });
    for (const model of ['gpt-5-mini', 'openai/gpt-4o', 'openai/claude-haiku-4-5'])
      expect(await generate({ model }, key)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER' } },
      });
  });

  it('names models without a price, which cost as much as the dearest, and takes the price 0', async () => {
    const ai = { provider: 'openai', model: 'tiny', fallback_models: ['anthropic/claude-haiku-4-5', 'gpt-4o'] };
    await settings({ ai: { ...ai, prices: { 'gpt-4o': PRICE } } });
    expect((await status()).unpriced_models).toEqual(['openai/tiny']);
    expect((await gateway.api('GET', '/admin/settings')).body.data).toMatchObject({
      ai: { prices: { 'openai/gpt-4o': PRICE } },
    });
    openai.replyWith(() => ({ text: 'x', usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000 } }));
    const before = (await status()).budget.spent_today_usd;
    await generate();
    // Claude Opus 4.1 is the dearest: 15 and 75 dollars for a million tokens.
    expect((await status()).budget.spent_today_usd - before).toBeCloseTo(15.075, 3);
    expect((await events('ai.response')).at(-1)).toMatchObject({ model: 'openai/tiny', cost_usd: 0 });

    await settings({ ai: { prices: { 'openai/tiny': { input: 0, output: 0 } } } });
    expect((await status()).unpriced_models).toEqual([]);
    await generate();
    expect((await status()).budget.spent_today_usd - before).toBeCloseTo(15.075, 3);
    await settings({ ai: { prices: { tiny: null, 'gpt-4o': null } } });
    expect((await gateway.api('GET', '/admin/settings')).body.data).toMatchObject({ ai: { prices: {} } });
  });

  it('shows each price under a name that means its model when it is sent back', async () => {
    const prices = async () =>
      (await gateway.api<{ ai: { prices: object } }>('GET', '/admin/settings')).body.data.ai.prices;
    await settings({ ai: { prices: { 'claude-tiny': PRICE } } });
    expect(await prices()).toEqual({ 'claude-tiny': PRICE });
    await settings({ ai: { provider: 'openai' } });
    const shown = { 'anthropic/claude-tiny': PRICE };
    expect(await prices()).toEqual(shown);
    const { body } = await gateway.api('PATCH', '/admin/settings', { ai: { prices: shown } });
    expect(body.data).toMatchObject({ ai: { prices: shown } });
    await settings({ ai: { provider: 'anthropic', prices: { 'claude-tiny': null } } });
    expect(await prices()).toEqual({});
  });

  it('names the model of an account that has no price', async () => {
    const { id } = await gateway.integration<{ id: string }>('telegram');
    const change = (model: string | null) =>
      gateway.api('PATCH', `/integrations/${id}`, { settings: { ai: { model } } });
    await change('openai/untold');
    expect((await status()).unpriced_models).toEqual(['openai/untold']);
    await change('claude-haiku-4-5');
    expect((await status()).unpriced_models).toEqual([]);
    await change(null);
  });

  it.each([[null], [{ prompt_tokens: -1, completion_tokens: 'x' }], [{ prompt_tokens: 3, completion_tokens: 0 }]])(
    'charges the most for the usage %j, whole and streamed',
    async (usage) => {
      await settings({ ai: { system_prompt: 'sys', prices: { 'openai/tiny': { input: 1, output: 1 } } } });
      openai.replyWith(() => ({ text: 'x', usage }));
      const before = (await status()).budget.spent_today_usd;
      await generate({ model: 'openai/tiny', max_tokens: 1_000 });
      // 3 bytes of the instructions, 5 of the message, and the longest answer.
      expect((await status()).budget.spent_today_usd - before).toBeCloseTo(0.001_008, 6);
      await gateway.api(
        'POST',
        '/ai/generate',
        { message: 'Hello', options: { model: 'openai/tiny', max_tokens: 1_000 } },
        {
          headers: { accept: 'text/event-stream' },
        },
      );
      expect((await status()).budget.spent_today_usd - before).toBeCloseTo(0.002_016, 6);
    },
  );

  it('lets no call pass the budget, whichever provider answers', async () => {
    await settings({ ai: { system_prompt: 'sys', prices: { 'openai/tiny': { input: 1, output: 1 } } } });
    const { spent_today_usd: spent } = (await status()).budget;
    // 1,008 tokens are the most that one call can use.
    await settings({ ai: { budget: { daily_usd: spent + 0.002_5 } } });
    openai.replyWith(() => ({ text: 'x', usage: { prompt_tokens: 8, completion_tokens: 1_000 } }));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => generate({ model: 'openai/tiny', max_tokens: 1_000 })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(2);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(4);
    expect((await status()).budget.spent_today_usd).toBeLessThanOrEqual(spent + 0.002_5);
  });

  it('reports the temperature that a model does not take', async () => {
    const answer = await generate({ model: 'openai/gpt-5-mini', temperature: 0.2 });
    expect(answer.body.meta).toMatchObject({
      warnings: [{ code: 'PARAMETER_IGNORED', message: expect.stringContaining('openai/gpt-5-mini') }],
    });
    expect((await status()).ignored).toContainEqual({ model: 'openai/gpt-5-mini', parameter: 'temperature' });
  });

  it.each([
    ['not JSON', 'hand over!'],
    ['another form', ['a', 1]],
    ['the wrong fields', { why: 1 }],
  ])('requests a person when a small model calls hand_over with %s', async (_, input) => {
    await settings({ ai: { provider: 'openai', model: 'tiny' } });
    openai.replyWith(() => ({ text: 'I will ask.', tools: [{ name: 'hand_over', input }] }));
    const before = (await events('conversation.handover_requested')).length;
    telegram.receiveText({ chatId: 800 + before, text: 'Help' });
    await eventually('a person is requested', async () =>
      expect(await events('conversation.handover_requested')).toHaveLength(before + 1),
    );
    expect(telegram.sent.every(({ text }) => text !== 'I will ask.')).toBe(true);
  });

  it('answers others while a slow model is asked', async () => {
    openai.hold();
    const slow = generate({ model: 'openai/tiny' });
    await openai.waitForInFlight(1);
    const sent = telegram.sent.length;
    telegram.receiveText({ chatId: 900, text: 'Hello' });
    expect((await telegram.waitForSent(sent + 1)).at(-1)).toMatchObject({ text: 'Claude here.' });
    expect(await generate()).toMatchObject({ status: 200 });
    openai.release();
    expect(await slow).toMatchObject({ status: 200, body: { data: { model: 'openai/tiny' } } });
  });

  it('takes the provider that has a key if Anthropic has none', async () => {
    const only = await startTestGateway({ openai });
    const read = await only.api<AiStatusDto>('GET', '/ai/status');
    expect(read.body.data).toMatchObject({
      provider: 'openai',
      model: 'openai/gpt-5-mini',
      status: 'available',
      providers: [{ name: 'openai', status: 'available' }],
      unpriced_models: ['openai/gpt-5-mini'],
    });
    expect((await only.api('GET', '/admin/settings')).body.data).toMatchObject({
      ai: { provider: 'openai', model: 'gpt-5-mini' },
    });
    expect(await only.api('POST', '/ai/generate', { message: 'Hello' })).toMatchObject({
      body: { data: { response: 'GPT here.', model: 'openai/gpt-5-mini' } },
    });
    const refused = await only.api('POST', '/ai/generate', {
      message: 'Hello',
      options: { model: 'anthropic/claude-x' },
    });
    expect(refused).toMatchObject({
      status: 500,
      body: { error: { code: 'AI_PROVIDER_ERROR', details: { provider: 'anthropic', type: 'not_configured' } } },
    });
    await only.stop();
  });
});
