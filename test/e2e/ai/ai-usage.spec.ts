import { getRepositoryToken } from '@nestjs/typeorm';
import type { Client } from 'pg';
import { request } from 'undici';
import type { AiStatusDto } from '../../../src/ai/dto/ai.dto';
import { AiUsageEntity } from '../../../src/ai/entities/ai-usage.entity';
import { RECORD } from '../../../src/ai/usage/usage.rows';
import { Usage } from '../../../src/ai/usage/usage.service';
import { Clock } from '../../../src/core/clock/clock.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { withClient } from '../../support/with-client';

const NOTHING = { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
/** Long enough for the provider's cache. */
const INSTRUCTIONS = 'Answer briefly, and never promise a refund. '.repeat(120);

describe('AI usage', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;
  let telegram: TelegramFake;

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ anthropic, telegram });
  });

  beforeEach(async () => {
    await gateway.sql('TRUNCATE ai_usage');
    anthropic.replyWith(() => 'We open at nine, as always.');
    anthropic.streamPauseMs = 0;
  });

  const usageOf = async (instance = gateway) =>
    (await instance.api<AiStatusDto>('GET', '/ai/status')).body.data.usage.today;
  const generate = (body: object, instance = gateway) => instance.api('POST', '/ai/generate', body);
  const streamed = (message: string, signal?: AbortSignal) =>
    request(`${gateway.url}/api/v1/ai/generate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ message }),
      signal,
    });
  const patchSettings = (body: object) => gateway.api('PATCH', '/admin/settings', body);

  it('is exact with 200 answers at once on two instances, and after a restart', async () => {
    const env = { TELEGRAM_BOT_TOKEN: undefined };
    const other = await startTestGateway({ anthropic, env, databaseUrl: gateway.databaseUrl });
    const asked = anthropic.requestsOf('messages').length;
    const tokens = (index: number) => ({ input_tokens: 10 + index, output_tokens: 1_000 + index });
    let count = 0;
    anthropic.replyWith(() => ({ text: 'x', usage: tokens(count++) }));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => generate({ message: 'x' }, index % 2 === 0 ? gateway : other)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(anthropic.requestsOf('messages')).toHaveLength(asked + 200);
    const sum = (200 * 199) / 2;
    const expected = { requests: 200, input_tokens: 2_000 + sum, output_tokens: 200_000 + sum };
    expect(await usageOf()).toMatchObject(expected);
    expect(await usageOf(other)).toEqual(await usageOf());
    const cost = (await usageOf()).cost_usd;
    expect(cost).toBeGreaterThan(0);
    expect(
      await gateway.sql(
        `SELECT type, count(*)::int AS count, round(sum((body::json -> 'data' ->> 'cost_usd')::numeric), 6)::float8 AS cost
         FROM events WHERE type IN ('ai.request', 'ai.response') GROUP BY type ORDER BY type`,
      ),
    ).toEqual([
      { type: 'ai.request', count: 200, cost: null },
      { type: 'ai.response', count: 200, cost: Number(cost.toFixed(6)) },
    ]);

    await other.stop();
    const restarted = await startTestGateway({ anthropic, env, databaseUrl: gateway.databaseUrl });
    expect(await usageOf(restarted)).toMatchObject(expected);
    await restarted.stop();
  });

  it('restarts with the day and the month, in UTC', async () => {
    await gateway.sql(
      `INSERT INTO ai_usage (environment, hour, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
       SELECT 'live', hour::timestamptz, 'm', requests, 0, 0, 0, 0, 0
       FROM (VALUES ('2026-02-28T23:00Z', 1), ('2026-03-01T00:00Z', 10), ('2026-03-30T23:00Z', 100), ('2026-03-31T00:00Z', 1000),
         ('2026-03-31T23:00Z', 10000)) AS used(hour, requests)`,
    );
    const at = async (time: string) => {
      const clock = new Clock();
      clock.now = () => Date.parse(time);
      const { today, month } = await new Usage(gateway.app.get(getRepositoryToken(AiUsageEntity)), clock).summary(
        'live',
      );
      return [today.requests, month.requests];
    };
    expect(await at('2026-03-31T23:59:59.999Z')).toEqual([11_000, 11_110]);
    expect(await at('2026-04-01T00:00:00.000Z')).toEqual([0, 0]);
    expect(await at('2026-03-31T00:00:00.000Z')).toEqual([11_000, 11_110]);
  });

  it('costs what the price table says, cache included, or what the settings say instead', async () => {
    anthropic.replyWith(() => ({
      text: 'x',
      usage: {
        input_tokens: 1_000,
        output_tokens: 2_000,
        cache_read_input_tokens: 3_000,
        cache_creation_input_tokens: 4_000,
      },
    }));
    const { body } = await generate({ message: 'x', options: { model: 'claude-sonnet-5-5' } });
    expect(body.data).toMatchObject({ tokens: { input: 8_000, output: 2_000 } });
    expect(await usageOf()).toMatchObject({ input_tokens: 8_000, output_tokens: 2_000 });
    // 2, 10, 0.1 and 2.5 USD per million
    expect((await usageOf()).cost_usd).toBeCloseTo(0.002 + 0.02 + 0.0003 + 0.01, 8);
    const prices = { 'claude-sonnet-5-5': { input: 1, output: 2, cache_read: 3, cache_write: 4 } };
    await patchSettings({ ai: { prices } });
    await generate({ message: 'x', options: { model: 'claude-sonnet-5-5' } });
    expect((await usageOf()).cost_usd).toBeCloseTo(0.0323 + 0.001 + 0.004 + 0.009 + 0.016, 8);
    await patchSettings({ ai: { prices: { 'claude-sonnet-5-5': null } } });
  });

  it('includes an answer whose client disconnected', async () => {
    anthropic.replyWith(() => 'word '.repeat(2_000));
    anthropic.streamPauseMs = 5;
    const client = new AbortController();
    const answer = await streamed('a long one', client.signal);
    for await (const chunk of answer.body) {
      expect(String(chunk)).toContain('event: delta');
      break;
    }
    client.abort();
    await eventually('the provider is left', () => expect(anthropic.inFlight).toBe(0));
    await eventually('what was used is counted', async () => expect((await usageOf()).requests).toBe(1));
    const { input_tokens, output_tokens, cost_usd } = await usageOf();
    expect(input_tokens).toBeGreaterThan(0);
    expect(output_tokens).toBeGreaterThan(0);
    // The whole answer would have been 2,500.
    expect(output_tokens).toBeLessThan(2_500);
    expect(cost_usd).toBeGreaterThan(0);
  });

  it('includes each answer that broke off', async () => {
    anthropic.interruptStream(2);
    const { body } = await streamed('x');
    expect(await body.text()).toContain('AI_PROVIDER_ERROR');
    await eventually('it is counted', async () => expect((await usageOf()).requests).toBe(1));
  });

  it('is summed up when two transactions bill at the same time', async () => {
    const row = { environment: 'live', at: new Date(), model: 'm', cache_read: 0, cache_write: 0, is_answer: true };
    const answer = (output: number) => JSON.stringify([{ ...row, input: 1, output, cost: '0.50000000' }]);
    const slotOf = async (client: Client) =>
      (await client.query<{ slot: number }>('SELECT pg_backend_pid() % 16 AS slot')).rows[0]!.slot;
    await withClient(gateway.databaseUrl, async (first) => {
      await first.query('BEGIN');
      await first.query(RECORD.text, [answer(2), '[]']);
      // While the first one waits for the disk. Every sixteenth process of PostgreSQL shares its slot.
      const billBeside = async (second: Client) => {
        if ((await slotOf(second)) === (await slotOf(first))) return false;
        await second.query(`SET lock_timeout = '2s'`);
        await second.query(RECORD.text, [answer(3), '[]']);
        return true;
      };
      let isBilled = false;
      while (!isBilled) isBilled = await withClient(gateway.databaseUrl, billBeside);
      await first.query('COMMIT');
    });
    expect(await usageOf()).toEqual({ requests: 2, input_tokens: 2, output_tokens: 5, cost_usd: 1 });
  });

  it('includes an answer without text, which is billed', async () => {
    anthropic.replyWith(() => ({ text: '', usage: { input_tokens: 7, output_tokens: 5 } }));
    expect((await generate({ message: 'x' })).body.error.details).toMatchObject({ type: 'empty_response' });
    await eventually('it is counted', async () =>
      expect(await usageOf()).toMatchObject({ requests: 1, input_tokens: 7, output_tokens: 5 }),
    );
  });

  it('excludes requests that the provider refused', async () => {
    anthropic.fail({ status: 400 });
    expect((await generate({ message: 'x' })).status).toBe(500);
    expect(await usageOf()).toEqual(NOTHING);
  });

  describe('of the prompt cache', () => {
    const cached = () =>
      gateway.sql<{ read: number; written: number }>(
        'SELECT sum(cache_read_tokens)::int AS read, sum(cache_write_tokens)::int AS written FROM ai_usage',
      );

    beforeAll(() => patchSettings({ ai: { system_prompt: INSTRUCTIONS } }));

    it('covers the stable prefix: the instructions, and earlier messages', async () => {
      await generate({ message: 'When do you open?' });
      const [first] = await cached();
      expect(first!.written).toBeGreaterThan(1_000);
      const context = [
        { role: 'user', content: 'When do you open?' },
        { role: 'assistant', content: 'At nine.' },
      ];
      await generate({ message: 'And on Sunday?', context });
      const [second] = await cached();
      expect(second!.read).toBe(first!.written);
      const longer = [
        ...context,
        { role: 'user', content: 'And on Sunday?' },
        { role: 'assistant', content: 'Closed.' },
      ];
      await generate({ message: 'Pity.', context: longer });
      const [third] = await cached();
      // Read once more, with all that the second call wrote.
      expect(third!.read - second!.read).toBe(second!.written);
      expect(second!.written).toBeGreaterThan(first!.written);
    });

    it('covers a conversation while it grows, not after its window slides', async () => {
      await patchSettings({ ai: { context_messages: 4 } });
      await gateway.connected('telegram');
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        telegram.receiveText({ chatId: 5, text });
        await telegram.waitForSent(index + 1);
      }
      const asked = anthropic.requestsOf('messages').slice(-3);
      expect(asked.map(({ body }) => body.messages.length)).toEqual([1, 3, 3]);
      expect(asked.map(({ body }) => body.cache_control)).toEqual([undefined, { type: 'ephemeral' }, undefined]);
    });
  });

  it('includes an answer that could not be stored, and its replacement', async () => {
    await gateway.connected('telegram');
    const [sent, asked] = [telegram.sent.length, anthropic.requestsOf('messages').length];
    await gateway.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'no room for answers'; END $$`);
    await gateway.sql(`CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.direction = 'outbound')
      EXECUTE FUNCTION refuse()`);
    telegram.receiveText({ chatId: 6, text: 'Hello' });
    await eventually('it is counted', async () => expect((await usageOf()).requests).toBeGreaterThan(0));
    await gateway.sql('DROP FUNCTION refuse CASCADE');
    await telegram.waitForSent(sent + 1);
    const paid = anthropic.requestsOf('messages').length - asked;
    expect(paid).toBeGreaterThan(1);
    expect((await usageOf()).requests).toBe(paid);
  });
});
