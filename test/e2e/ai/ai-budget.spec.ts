import { hash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AiStatusDto } from '../../../src/ai/dto/ai.dto';
import { BudgetTheAi1764001300000 } from '../../../src/core/database/migrations/1764001300000-budget-the-ai';
import { ReserveInOneRow1766200000000 } from '../../../src/core/database/migrations/1766200000000-reserve-in-one-row';
import { Retention } from '../../../src/core/events/retention.service';
import { DeploymentSecrets } from '../../../src/core/secrets/deployment-secrets';
import { personOf } from '../../../src/core/secrets/person';
import { SpendingRows, type SpendingKey } from '../../../src/ai/usage/spending-rows.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import type { ApiAnswer } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** A token costs a millionth of a dollar, read or written. */
const PRICES = { 'claude-sonnet-5-5': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
const usd = (tokens: number) => tokens / 1_000_000;

interface Key {
  id: string;
  key: string;
}

describe('AI budgets', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;
  let telegram: TelegramFake;

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ anthropic, telegram });
  });

  beforeEach(async () => {
    await gateway.stop();
    gateway = await startTestGateway({ anthropic, telegram, env: { TELEGRAM_GROUP_REPLIES: 'all' } });
    anthropic.clearFaults();
    anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 10, output_tokens: 90 } }));
    await settings({ ai: { prices: PRICES, system_prompt: 's'.repeat(100), budget: { daily_usd: 50 } } });
    // The definition of the tool would count as input too.
    await settings({ handover: { by_assistant: false } });
  });

  const settings = async (body: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', body)).status).toBe(200);
  /** Costs at most 1,000 tokens: 100 of the instructions, 100 of the message, 800 of the answer. In fact it costs 100. */
  const ask = (options: object = {}, key?: string, headers?: Record<string, string>) =>
    gateway.api(
      'POST',
      '/ai/generate',
      { message: 'm'.repeat(100), options: { max_tokens: 800, ...options } },
      {
        key,
        headers,
      },
    );
  const status = async (instance = gateway) => (await instance.api<AiStatusDto>('GET', '/ai/status')).body.data;
  const makeKey = async (body: object) => {
    const answer = await gateway.api<Key>('POST', '/admin/api-keys', { name: 'K', scopes: ['*'], ...body });
    expect(answer.status).toBe(201);
    return answer.body.data;
  };
  const expectSpent = ({ status: code, headers, body }: ApiAnswer, limit: number, seconds = 86_400) => {
    expect([code, body.error]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' })]);
    const { retry_after_seconds: retryAfter, ...details } = body.error.details as Record<string, number>;
    const number = expect.any(Number) as number;
    const amounts = { spent_usd: number, reserved_usd: number, needed_usd: number };
    expect(details).toEqual({ limit, window_seconds: seconds, scope: 'budget', ...amounts });
    expect(details['spent_usd']! + details['reserved_usd']! + details['needed_usd']!).toBeGreaterThan(limit);
    if (details['needed_usd']! > limit) {
      expect([retryAfter, headers['retry-after']]).toEqual([null, undefined]);
      return;
    }
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(seconds);
    expect(headers['retry-after']).toBe(String(retryAfter));
  };
  const midnight = () => {
    const date = new Date();
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)).toISOString();
  };

  it('a new database has 50 dollars a day, and no monthly limit', async () => {
    const { body } = await gateway.api<{ ai: object; rate_limits: object }>('GET', '/admin/settings');
    expect(body.data.ai).toMatchObject({ budget: { daily_usd: 50, monthly_usd: null }, max_tokens_limit: 8_192 });
    expect(body.data.rate_limits).toEqual({
      messages_per_minute: 60,
      replies_per_minute: 600,
      billable_messages_per_day: null,
    });
    expect((await status()).budget).toEqual({
      daily_usd: 50,
      monthly_usd: null,
      spent_today_usd: 0,
      resets_at: midnight(),
    });
  });

  it('a database of a version before budgets has no budget', async () => {
    const runner = gateway.app.get(DataSource).createQueryRunner();
    await gateway.sql(`UPDATE settings SET document = '{"ai": {"temperature": 0.5}}'`);
    await new BudgetTheAi1764001300000().down(runner);
    await new BudgetTheAi1764001300000().up(runner);
    await new ReserveInOneRow1766200000000().up(runner);
    await runner.release();
    const { body } = await gateway.api<{ ai: object }>('GET', '/admin/settings');
    expect(body.data.ai).toMatchObject({ temperature: 0.5, budget: { daily_usd: null, monthly_usd: null } });
  });

  it('a call is refused if its maximum cost exceeds the rest, and charged its actual cost', async () => {
    await settings({ ai: { budget: { daily_usd: usd(1_350) } } });
    for (let call = 1; call <= 4; call++) expect((await ask()).status).toBe(200);
    // 400 are spent: 950 are left.
    const asked = anthropic.requestsOf('messages').length;
    const refused = await ask();
    expectSpent(refused, usd(1_350));
    expect(anthropic.requestsOf('messages')).toHaveLength(asked);
    expect((await ask({ max_tokens: 750 })).status).toBe(200);
    expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(500), 9);
    expect((await gateway.sql(`SELECT FROM events WHERE type = 'ai.rate_limited'`)).length).toBe(0);
  });

  it('a refusal states spent, reserved and needed, and no wait if the whole budget is too small', async () => {
    await settings({ ai: { budget: { daily_usd: usd(1_050) } } });
    expect((await ask()).status).toBe(200);
    const amounts = ({ body }: ApiAnswer) => body.error.details;
    expect(amounts(await ask())).toMatchObject({
      spent_usd: usd(100),
      reserved_usd: 0,
      needed_usd: usd(1_000),
      retry_after_seconds: expect.any(Number) as number,
    });
    anthropic.hold();
    const [first] = [ask({ max_tokens: 700 })];
    await anthropic.waitForInFlight(1);
    expect(amounts(await ask())).toMatchObject({ spent_usd: usd(100), reserved_usd: usd(900) });
    anthropic.release();
    await first;
    const refused = await ask({ max_tokens: 5_000 });
    expect(amounts(refused)).toMatchObject({ needed_usd: usd(5_200), retry_after_seconds: null });
    expect(refused.headers['retry-after']).toBeUndefined();
  });

  it('a model with a price of 0 answers for free, also after the budget is spent, and once per message', async () => {
    const prices = { 'claude-sonnet-5-5': { input: 0, output: 0, cache_read: 0, cache_write: 0 } };
    await settings({ ai: { prices, budget: { daily_usd: 0 } } });
    const asked = anthropic.requestsOf('messages').length;
    expect((await ask()).status).toBe(200);
    expect((await ask({}, undefined, { accept: 'text/event-stream' })).body).toContain('event: result');
    const { key } = await makeKey({ ai_budget: { daily_usd: 1, monthly_usd: 1 } });
    expect((await ask({}, key)).status).toBe(200);
    await gateway.connected('telegram');
    telegram.receiveText({ chatId: 1, text: 'Hello' });
    await telegram.waitForSent(1);
    await eventually('no reply is due', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toHaveLength(0),
    );
    expect(anthropic.requestsOf('messages')).toHaveLength(asked + 4);
    expect(await status()).toMatchObject({
      status: 'available',
      usage: { today: { requests: 4, cost_usd: 0 } },
      budget: { spent_today_usd: 0 },
    });
  });

  it('a streamed answer is refused with 429 before it begins', async () => {
    await settings({ ai: { budget: { daily_usd: usd(999) } } });
    expectSpent(await ask({}, undefined, { accept: 'text/event-stream' }), usd(999));
  });

  it('the month has its own limit, named as the window', async () => {
    await settings({ ai: { budget: { daily_usd: null, monthly_usd: usd(999) } } });
    const date = new Date();
    const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    expectSpent(await ask(), usd(999), days * 86_400);
  });

  it('the highest price of the model and its fallbacks counts, and an unpriced model costs as much as the highest known price', async () => {
    await settings({ ai: { budget: { daily_usd: usd(5_000) }, fallback_models: ['claude-opus-4-1'] } });
    expect((await ask()).status).toBe(429);
    await settings({ ai: { fallback_models: [] } });
    expect((await ask()).status).toBe(200);
    expect((await ask({ model: 'model-of-tomorrow' })).status).toBe(429);
    await settings({ ai: { budget: { daily_usd: 1 } } });
    expect((await ask({ model: 'model-of-tomorrow' })).status).toBe(200);
    const { budget, usage } = await status();
    // 10 at 15, 90 at 75 dollars a million: those of claude-opus-4-1.
    expect(budget.spent_today_usd).toBeCloseTo(usd(100 + 10 * 15 + 90 * 75), 9);
    expect(usage.today.cost_usd).toBeCloseTo(usd(100), 9);
  });

  it('a stream without reported usage costs its maximum', async () => {
    anthropic.replyWith(() => 'word '.repeat(100));
    anthropic.interruptStream(2);
    await ask({}, undefined, { accept: 'text/event-stream' });
    await eventually('it is charged', async () =>
      expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(1_000), 9),
    );
  });

  it('a stream whose client leaves before the first event is charged its maximum', async () => {
    anthropic.hold();
    const leaving = new AbortController();
    const asked = Array.from({ length: 5 }, () =>
      fetch(`${gateway.url}/api/v1/ai/generate`, {
        method: 'POST',
        signal: leaving.signal,
        headers: {
          authorization: `Bearer ${gateway.liveKey}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ message: 'm'.repeat(100), options: { max_tokens: 800 } }),
      }).catch(() => undefined),
    );
    await anthropic.waitForInFlight(5);
    leaving.abort();
    await Promise.all(asked);
    await eventually('they are charged', async () => {
      const { budget, usage } = await status();
      expect(budget.spent_today_usd).toBeCloseTo(usd(5_000), 9);
      expect(usage.today.cost_usd).toBeCloseTo(usd(5_000), 9);
    });
    anthropic.release();
  });

  it('a price needs input and output, and a model name is not blank', async () => {
    const refused = [
      [{ ai: { prices: { m: {} } } }, 'ai.prices.m.input'],
      [{ ai: { prices: { m: { input: 1 } } } }, 'ai.prices.m.output'],
      [{ ai: { model: ' ' } }, 'ai.model'],
      [{ ai: { fallback_models: ['m', '\t'] } }, 'ai.fallback_models[1]'],
    ] as const;
    for (const [change, parameter] of refused) {
      const { body } = await gateway.api('PATCH', '/admin/settings', change);
      expect([body.error.code, JSON.stringify(body.error.details)]).toEqual([
        'INVALID_PARAMETER',
        expect.stringContaining(`"${parameter}"`),
      ]);
    }
    expect((await ask({ model: ' ' })).body.error).toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  it('the bill names priced models, and sums up the others', async () => {
    expect((await ask()).status).toBe(200);
    for (const model of ['model-of-tomorrow', 'another']) expect((await ask({ model })).status).toBe(200);
    const models = await gateway.sql(
      'SELECT model, sum(requests)::int AS requests FROM ai_usage GROUP BY model ORDER BY model',
    );
    expect(models).toEqual([
      { model: 'claude-sonnet-5-5', requests: 1 },
      { model: 'other', requests: 2 },
    ]);
  });

  describe('a retry after an attempt that was billed', () => {
    /** The provider bills what is no answer, and does not say how much: it counts as the most, and the call tries again. */
    const breakOffOnce = () =>
      anthropic.fail({ method: 'messages', status: 200, body: { usage: { input_tokens: 100 } } });
    const asked = () => anthropic.requestsOf('messages').length;

    it('is made if its maximum cost still fits the AI budget, and both attempts are charged', async () => {
      await settings({ ai: { budget: { daily_usd: usd(2_000) } } });
      breakOffOnce();
      const before = asked();
      expect((await ask()).status).toBe(200);
      expect(asked() - before).toBe(2);
      expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(1_000 + 100), 9);
    });

    it('is refused if its maximum cost no longer fits the AI budget', async () => {
      await settings({ ai: { budget: { daily_usd: usd(1_999) } } });
      breakOffOnce();
      const before = asked();
      expectSpent(await ask(), usd(1_999));
      expect(asked() - before).toBe(1);
      expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(1_000), 9);
    });
  });

  it('many concurrent calls on two instances never exceed the AI budget, and use all of it', async () => {
    const other = await startTestGateway({ anthropic, env: {}, databaseUrl: gateway.databaseUrl });
    // The provider bills each call its most.
    anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 200, output_tokens: 800 } }));
    await settings({ ai: { budget: { daily_usd: usd(50_500) } } });
    await eventually('the other instance knows', async () =>
      expect((await status(other)).budget.daily_usd).toBe(0.0505),
    );
    const asked = anthropic.requestsOf('messages').length;
    const body = { message: 'm'.repeat(100), options: { max_tokens: 800 } };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? gateway : other).api('POST', '/ai/generate', body)),
    );
    const answered = answers.filter(({ status: code }) => code === 200).length;
    expect(anthropic.requestsOf('messages').length - asked).toBe(answered);
    expect(answered).toBeLessThanOrEqual(50);
    expect(answered).toBeGreaterThan(40);
    for (const refused of answers.filter(({ status: code }) => code !== 200)) expectSpent(refused, 0.0505);
    await eventually('both tell the same', async () => {
      for (const instance of [gateway, other])
        expect((await status(instance)).budget.spent_today_usd).toBeCloseTo(usd(answered * 1_000), 9);
    });
    await other.stop();
  });

  it('a changed budget applies at once', async () => {
    expect((await ask()).status).toBe(200);
    await settings({ ai: { budget: { daily_usd: usd(1_099) } } });
    expect((await ask()).status).toBe(429);
    await settings({ ai: { budget: { daily_usd: usd(1_100) } } });
    expect((await ask()).status).toBe(200);
    await settings({ ai: { budget: { daily_usd: null } } });
    expect((await ask()).status).toBe(200);
    expect((await status()).budget).toMatchObject({ daily_usd: null, spent_today_usd: expect.closeTo(usd(300), 9) });
  });

  it('spending survives a restart, and no reservation stays', async () => {
    await ask();
    await gateway.gateway.close();
    gateway = await startTestGateway({ anthropic, telegram, databaseUrl: gateway.databaseUrl });
    expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(100), 9);
    expect(await gateway.sql(`SELECT held FROM ai_spending`)).toEqual([{ held: '0' }, { held: '0' }]);
  });

  describe('a call over several rounds of reservations', () => {
    /** Moves the rows of all budgets into the past. */
    const pass = (rounds: number) => gateway.sql(`UPDATE ai_spending SET round = round - ${rounds}`);
    const askAndWait = async () => {
      anthropic.hold();
      const first = [ask()];
      await anthropic.waitForInFlight(1);
      return first;
    };
    const answerOf = async (calls: Promise<ApiAnswer>[]) => {
      anthropic.release();
      for (const { status: code } of await Promise.all(calls)) expect(code).toBe(200);
    };

    it('counts as spent after two rounds, because its process may have died', async () => {
      const calls = await askAndWait();
      expect((await status()).budget.spent_today_usd).toBe(0);
      await pass(1);
      expect((await status()).budget.spent_today_usd).toBe(0);
      await pass(1);
      expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(1_000), 9);
      await answerOf(calls);
    });

    it.each([0, 1, 2, 5])('is charged its actual cost when it ends after %i rounds', async (rounds) => {
      await ask();
      // Its settlement is written.
      await status();
      const [key] = await gateway.sql<SpendingKey>(
        `SELECT owner, period, starts_on::text AS "startsOn" FROM ai_spending WHERE period = 'day'`,
      );
      const rows = gateway.app.get(SpendingRows);
      const reserve = async () => (await rows.reserve([{ ...key!, ceiling: null, amount: 1_000 }])).states[0]!.round;
      const first = await reserve();
      await pass(rounds);
      const second = await reserve();
      await rows.settle([
        { ...key!, round: first - rounds, spent: 50, freed: 400 },
        { ...key!, round: first - rounds, spent: 0, freed: 600 },
        { ...key!, round: second, spent: 7, freed: 1_000 },
      ]);
      expect(await gateway.sql(`SELECT held, held_before, spent FROM ai_spending WHERE period = 'day'`)).toEqual([
        { held: '0', held_before: '0', spent: '100057' },
      ]);
    });

    it('keeps its reserved share of the AI budget from other calls until it ends', async () => {
      await settings({ ai: { budget: { daily_usd: usd(1_999) } } });
      const calls = await askAndWait();
      for (const rounds of [0, 1, 1, 1]) {
        await pass(rounds);
        expectSpent(await ask(), usd(1_999));
      }
      await answerOf(calls);
      expect((await ask()).status).toBe(200);
    });
  });

  it('an AI budget leaves room for what an instance of the previous version reserved', async () => {
    await ask();
    await settings({ ai: { budget: { daily_usd: usd(5_000) } } });
    await gateway.sql('UPDATE ai_spending SET held = held + 4000000');
    for (const passed of [0, 2]) {
      await gateway.sql(`UPDATE ai_spending SET round = round - ${passed}`);
      expectSpent(await ask(), usd(5_000));
    }
    // It gives the portion back.
    await gateway.sql('UPDATE ai_spending SET held = held - 4000000');
    expect((await ask()).status).toBe(200);
  });

  it('spending per person is deleted after two days, other spending after the next month', async () => {
    await gateway.sql(
      `INSERT INTO ai_spending (owner, period, starts_on)
       SELECT owner, 'day', (now() - days * interval '1 day')::date
       FROM unnest(ARRAY['person:x', 'live']) AS owner, unnest(ARRAY[1, 4, 61, 64]) AS days`,
    );
    await gateway.app.get(Retention).deleteOld();
    expect(await gateway.sql('SELECT owner, count(*)::int FROM ai_spending GROUP BY owner ORDER BY owner')).toEqual([
      { owner: 'live', count: 3 },
      { owner: 'person:x', count: 1 },
    ]);
  });

  it('GET /ai/status is degraded once the AI budget is spent', async () => {
    expect(await status()).toMatchObject({ status: 'available' });
    await settings({ ai: { budget: { daily_usd: usd(1_000) } } });
    expect(await status()).toMatchObject({ status: 'degraded' });
  });

  describe('of a key', () => {
    it('limits the calls of the key, in addition to the budget of the environment', async () => {
      const { key } = await makeKey({ ai_budget: { daily_usd: usd(1_050), monthly_usd: null } });
      expect((await ask({}, key)).status).toBe(200);
      expectSpent(await ask({}, key), usd(1_050));
      expect((await ask()).status).toBe(200);
      expect((await status()).budget.spent_today_usd).toBeCloseTo(usd(200), 9);
    });

    it('is shown to the key', async () => {
      expect(await status()).not.toHaveProperty('key_budget');
      const { key } = await makeKey({ ai_budget: { daily_usd: 1, monthly_usd: 3 } });
      await ask({}, key);
      const { body } = await gateway.api<AiStatusDto>('GET', '/ai/status', undefined, { key });
      expect(body.data.key_budget).toEqual({
        daily_usd: 1,
        monthly_usd: 3,
        spent_today_usd: expect.closeTo(usd(100), 9) as number,
        resets_at: midnight(),
      });
    });

    it('cannot change what the answers of the key cost', async () => {
      const { key } = await makeKey({ ai_budget: { daily_usd: 1, monthly_usd: null } });
      const changes = [
        { ai: { budget: { daily_usd: 1 } } },
        { ai: { prices: { m: { input: 0, output: 0 } } } },
        { ai: { max_tokens_limit: 64_000 } },
        { ai: { model: 'claude-opus-5-5' } },
        { ai: { temperature: 0.5 } },
        { rate_limits: { messages_per_minute: 1 } },
      ];
      for (const change of changes) {
        const { status: code, body } = await gateway.api('PATCH', '/admin/settings', change, { key });
        expect([code, body.error]).toMatchObject([
          403,
          { code: 'INSUFFICIENT_PERMISSIONS', details: { required_scope: '*', key_scopes: ['*'] } },
        ]);
      }
      const allowed = await gateway.api('PATCH', '/admin/settings', { retention: { audit_days: 9 } }, { key });
      expect(allowed.status).toBe(200);
    });

    it('ai_models restricts options.model only, and configured models are always allowed', async () => {
      const { key } = await makeKey({ ai_models: ['claude-haiku-4-5'] });
      const refused = await ask({ model: 'claude-opus-5-5' }, key);
      expect(refused.body.error).toMatchObject({
        code: 'INVALID_PARAMETER',
        details: { parameter: 'options.model', value: 'claude-opus-5-5' },
      });
      expect((await ask({ model: 'claude-haiku-4-5' }, key)).status).toBe(200);
      expect((await ask({}, key)).status).toBe(200);
      await settings({ ai: { fallback_models: ['claude-sonnet-4-5'] } });
      for (const model of ['claude-sonnet-5-5', 'claude-sonnet-4-5'])
        expect((await ask({ model }, key)).status).toBe(200);
    });
  });

  it('options.max_tokens above ai.max_tokens_limit is INVALID_PARAMETER, and a stored ai.max_tokens is capped', async () => {
    const { body } = await ask({ max_tokens: 8_193 });
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'options.max_tokens' } });
    await settings({ ai: { max_tokens: 64_000, max_tokens_limit: 500 } });
    await gateway.api('POST', '/ai/generate', { message: 'm' });
    expect(anthropic.requestsOf('messages').at(-1)!.body.max_tokens).toBe(500);
  });

  it('a test key costs nothing', async () => {
    const { testKey: key } = gateway;
    await gateway.api('PATCH', '/admin/settings', { ai: { budget: { daily_usd: 0, monthly_usd: 0 } } }, { key });
    expect((await ask({}, key)).status).toBe(200);
    const { body } = await gateway.api<AiStatusDto>('GET', '/ai/status', undefined, { key });
    expect(body.data).toMatchObject({ status: 'available', budget: { daily_usd: 0, spent_today_usd: 0 } });
  });

  it('a reply over the budget is refused with ai.rate_limited, and not made later', async () => {
    await settings({ ai: { budget: { daily_usd: 0 } } });
    await gateway.connected('telegram');
    const asked = anthropic.requestsOf('messages').length;
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    const events = () =>
      gateway.sql<{ data: object }>(`SELECT body::json -> 'data' AS data FROM events WHERE type = 'ai.rate_limited'`);
    await eventually('the event is there', async () => expect(await events()).toHaveLength(1));
    expect((await events())[0]!.data).toMatchObject({
      environment: 'live',
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      scope: 'budget',
      retry_after_seconds: null,
    });
    await eventually('the reply is no longer due', async () =>
      expect(
        await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NULL AND answered_seq = requested_seq'),
      ).toHaveLength(1),
    );
    await settings({ ai: { budget: { daily_usd: 50 } } });
    const sent = telegram.sent.length;
    telegram.receiveText({ chatId: 8, text: 'Hello' });
    await telegram.waitForSent(sent + 1);
    expect(anthropic.requestsOf('messages')).toHaveLength(asked + 1);
  });

  describe('of a person', () => {
    const perPerson = async () => {
      const { body } = await gateway.api<{ ai: { daily_usd_per_person: number | null } }>('GET', '/admin/settings');
      return body.data.ai.daily_usd_per_person;
    };

    it('is 5 % of the daily budget, and at least half a dollar, until an amount is set', async () => {
      expect(await perPerson()).toBe(2.5);
      await settings({ ai: { budget: { daily_usd: 200 } } });
      expect(await perPerson()).toBe(10);
      for (const daily_usd of [1, null]) {
        await settings({ ai: { budget: { daily_usd } } });
        expect(await perPerson()).toBe(0.5);
      }
      for (const daily_usd_per_person of [0.25, null]) {
        await settings({ ai: { daily_usd_per_person } });
        expect(await perPerson()).toBe(daily_usd_per_person);
      }
    });

    it('leaves a person who spent it without an answer, and answers the other people', async () => {
      anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 100, output_tokens: 100 } }));
      // The most that one answer can cost: 100 of the instructions, 5 of the message, 100 of the answer.
      await settings({ ai: { max_tokens: 100, context_messages: 1, daily_usd_per_person: usd(450) } });
      await gateway.connected('telegram');
      const events = () =>
        gateway.sql<{ scope: string }>(
          `SELECT body::json -> 'data' ->> 'scope' AS scope FROM events WHERE type = 'ai.rate_limited'`,
        );
      for (let answered = 1; answered <= 2; answered += 1) {
        const sent = telegram.sent.length;
        telegram.receiveText({ chatId: 7, text: 'Hello' });
        await telegram.waitForSent(sent + 1);
      }
      telegram.receiveText({ chatId: 7, text: 'Hello' });
      await eventually('the third message is refused', async () =>
        expect(await events()).toEqual([{ scope: 'person' }]),
      );
      const sent = telegram.sent.length;
      telegram.receiveText({ chatId: 8, text: 'Hello' });
      await telegram.waitForSent(sent + 1);
      expect(telegram.sent.at(-1)).toMatchObject({ chat_id: 8 });
    });

    it('is charged in a group to the person who wrote, not to the group', async () => {
      anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 100, output_tokens: 100 } }));
      // Two answers: see above.
      await settings({ ai: { max_tokens: 100, context_messages: 1, daily_usd_per_person: usd(450) } });
      await gateway.connected('telegram');
      const write = (from: number, chatId = -100) =>
        telegram.receiveText({
          chatId,
          text: 'Hello',
          from: { id: from, first_name: `Person ${from}` },
          chatType: chatId < 0 ? 'group' : 'private',
        });
      const refusals = () => gateway.sql(`SELECT FROM events WHERE type = 'ai.rate_limited'`);
      const answered = async (from: number, chatId?: number) => {
        const sent = telegram.sent.length;
        write(from, chatId);
        await telegram.waitForSent(sent + 1);
      };
      const refused = async (from: number, chatId?: number) => {
        const before = (await refusals()).length;
        write(from, chatId);
        await eventually('it is refused', async () => expect(await refusals()).toHaveLength(before + 1));
      };
      // One answer in the group and one in private are the share of person 7; the group has none of its own.
      await answered(7);
      await answered(7, 7);
      await refused(7);
      await refused(7, 7);
      // A refusal requests a person for the whole conversation.
      const { body } = await gateway.api<{ id: string }[]>('GET', '/conversations?handling=requested&q=-100');
      await gateway.api('POST', `/conversations/${body.data[0]!.id}/resume`);
      await answered(8);
      await answered(8, -200);
      await refused(8);
      const owners = await gateway.sql<{ owner: string }>(
        `SELECT owner FROM ai_spending WHERE owner LIKE 'person:%' AND spent > 0 ORDER BY owner`,
      );
      // A digest without a secret would name a person to anyone who tries all ids.
      const plain = hash('sha256', JSON.stringify(['live', 'telegram', '7']), 'base64url');
      expect(owners).not.toContainEqual({ owner: `person:${plain}` });
      const persons = ['7', '8'].map((id) => ({
        owner: personOf(gateway.app.get(DeploymentSecrets), 'live', 'telegram', id),
      }));
      expect(owners).toEqual(persons.toSorted((a, b) => (a.owner < b.owner ? -1 : 1)));
    });

    it('keeps a few people from using up the daily budget', async () => {
      anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 100, output_tokens: 100 } }));
      await settings({
        ai: {
          max_tokens: 100,
          context_messages: 1,
          budget: { daily_usd: usd(20_000) },
          daily_usd_per_person: usd(1_000),
        },
        rate_limits: { messages_per_minute: 1_000 },
      });
      await gateway.connected('telegram');
      for (let round = 1; round <= 10; round += 1)
        for (let chatId = 1; chatId <= 8; chatId += 1) telegram.receiveText({ chatId, text: 'Hello' });
      await eventually(
        'all are answered or refused',
        async () => {
          const [row] = await gateway.sql<{ open: number; tasks: number }>(
            'SELECT count(*) FILTER (WHERE next_at IS NOT NULL)::int AS open, count(*)::int AS tasks FROM reply_tasks',
          );
          expect(row).toEqual({ open: 0, tasks: 8 });
        },
        { timeoutMs: 25_000 },
      );
      expect((await status()).budget.spent_today_usd).toBeLessThanOrEqual(usd(8_000));
      expect((await ask()).status).toBe(200);
    });
  });
});
