import { toPublicId } from '#contracts';
import { ReplyContexts } from '../../../src/ai/assistant/reply-context.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, useGateway } from '../../support/gateway';

const ABSURD = [1e308, 2 ** 53, 1e9 + 1, 12.75, -5];

describe('Replies of the assistant', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram, env: { AI_CONCURRENCY: '3' } });
  let smtp: SmtpFake;
  let chat = 100;

  beforeAll(async () => {
    smtp = await new SmtpFake().start();
  });
  beforeEach(() => anthropic.replyWith(() => 'We open at nine.'));

  const settings = async (body: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', body)).status).toBe(200);
  const write = (text = 'Hello') => telegram.receiveText({ chatId: ++chat, text });
  const events = async (type: string) =>
    (
      await gateway.sql<{ data: Record<string, unknown> }>(
        `SELECT body::json -> 'data' AS data FROM events WHERE type = $1 ORDER BY created_at`,
        [type],
      )
    ).map(({ data }) => data);
  const asked = () => anthropic.requestsOf('messages').length;

  it('are limited by AI_CONCURRENCY', async () => {
    anthropic.hold();
    const sent = telegram.sent.length;
    for (let person = 1; person <= 5; person++) write();
    await anthropic.waitForInFlight(3);
    await eventually('all five are stored', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toHaveLength(5),
    );
    expect(anthropic.inFlight).toBe(3);
    anthropic.release();
    await telegram.waitForSent(sent + 5);
  });

  it('end at a sentence if max_tokens cuts them, but not for a client', async () => {
    const text = 'We open at nine. Call us bef';
    anthropic.replyWith(() => ({ text, stopReason: 'max_tokens' }));
    const sent = telegram.sent.length;
    write();
    await telegram.waitForSent(sent + 1);
    expect(telegram.sent.at(-1)!.text).toBe('We open at nine. …');
    const generated = await gateway.api('POST', '/ai/generate', { message: 'Hello' });
    expect(generated.body.data).toMatchObject({ response: text });
  });

  it.each(ABSURD)('with a usage of %d tokens are clamped to integers from 0 to 10^9, and sent', async (count) => {
    anthropic.replyWith(() => ({ text: 'At nine.', usage: { input_tokens: count, output_tokens: count } }));
    const [sent, before] = [telegram.sent.length, asked()];
    write();
    await telegram.waitForSent(sent + 1);
    expect(asked()).toBe(before + 1);
    const clamped = Math.max(0, Math.min(Math.floor(count), 1e9));
    expect((await events('ai.response')).at(-1)!['tokens']).toEqual({ input: clamped, output: clamped });
    await settings({ ai: { budget: { daily_usd: null } } });
  });

  it('that the database refuses are made twice, and given up with ai.error', async () => {
    const before = asked();
    await gateway.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'no room for answers'; END $$`);
    await gateway.sql(`CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.direction = 'outbound')
      EXECUTE FUNCTION refuse()`);
    const givenUp = (count: number) =>
      eventually('it is given up', async () => expect(await events('ai.error')).toHaveLength(count), {
        timeoutMs: 20_000,
      });
    write();
    await givenUp(1);
    expect((await events('ai.error'))[0]).toMatchObject({
      environment: 'live',
      error: { type: 'internal', retryable: false },
    });
    expect(asked()).toBe(before + 2);
    // The faults of that answer do not count against the next message of the person.
    telegram.receiveText({ chatId: chat, text: 'Hello?' });
    await givenUp(2);
    expect(asked()).toBe(before + 4);
    await gateway.sql('DROP FUNCTION refuse CASCADE');
    await eventually('nothing is due', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toEqual([]),
    );
    expect(asked()).toBe(before + 4);
  });

  it('that fail five times by our own fault give ai.error, type internal, and are given up', async () => {
    const before = (await events('ai.error')).length;
    const [asking, sent] = [asked(), telegram.sent.length];
    const contexts = gateway.app.get(ReplyContexts);
    let tries = 0;
    contexts.load = () => {
      tries += 1;
      return Promise.reject(new TypeError('a fault of our own'));
    };
    write();
    const errors = () =>
      eventually(
        'it is given up',
        async () => {
          // The test does not wait out the pauses between the tries.
          await gateway.sql('UPDATE reply_tasks SET next_at = now() WHERE next_at > now()');
          expect(await events('ai.error')).toHaveLength(before + 1);
        },
        { timeoutMs: 20_000 },
      );
    await errors();
    expect(tries).toBe(5);
    expect((await events('ai.error')).at(-1)).toMatchObject({
      conversation_id: expect.stringMatching(/^conv_/),
      error: { type: 'internal' },
    });
    expect(asked()).toBe(asking);
    delete (contexts as Partial<ReplyContexts>).load;
    write();
    await telegram.waitForSent(sent + 1);
    expect(await events('ai.error')).toHaveLength(before + 1);
  });

  it('are only billed if the conversation was taken over meanwhile', async () => {
    const requests = async () =>
      (await gateway.sql<{ count: number }>('SELECT coalesce(sum(requests), 0)::int AS count FROM ai_usage'))[0]!.count;
    const [before, sent] = [await requests(), telegram.sent.length];
    const responses = (await events('ai.response')).length;
    anthropic.hold();
    write();
    await anthropic.waitForInFlight(1);
    // As the claim of another instance does.
    await gateway.sql('UPDATE reply_tasks SET fence = fence + 1 WHERE lease_until IS NOT NULL');
    anthropic.release();
    await eventually('it is on the bill', async () => expect(await requests()).toBe(before + 1));
    expect(await events('ai.response')).toHaveLength(responses);
    const conversation = `FROM conversations c JOIN reply_tasks t ON t.conversation_id = c.id WHERE c.participant_id = '${chat}'`;
    expect(await gateway.sql(`SELECT message_count, answered_seq ${conversation}`)).toEqual([
      { message_count: 1, answered_seq: 0 },
    ]);
    await gateway.sql('UPDATE reply_tasks SET lease_until = NULL WHERE next_at IS NOT NULL');
    await telegram.waitForSent(sent + 1);
    expect(await requests()).toBe(before + 2);
    expect(await gateway.sql(`SELECT message_count, answered_seq ${conversation}`)).toEqual([
      { message_count: 2, answered_seq: 1 },
    ]);
  });

  it('from a cleared context are stored, and left out of later contexts', async () => {
    const sent = telegram.sent.length;
    anthropic.replyWith(() => 'The code is 4711.');
    anthropic.hold();
    write('What is the code?');
    await anthropic.waitForInFlight(1);
    const [conversation] = await gateway.sql<{ id: string }>('SELECT id FROM conversations WHERE participant_id = $1', [
      String(chat),
    ]);
    const id = toPublicId('conversation', conversation!.id);
    expect((await gateway.api('POST', `/conversations/${id}/clear`)).status).toBe(200);
    anthropic.release();
    await telegram.waitForSent(sent + 1);
    anthropic.replyWith(() => 'Good morning.');
    const contexts: string[] = [];
    for (const text of ['Hello again', 'And again']) {
      telegram.receiveText({ chatId: chat, text });
      await telegram.waitForSent(sent + 2 + contexts.length);
      contexts.push(JSON.stringify(anthropic.requests.at(-1)!.body.messages));
    }
    for (const context of contexts) expect(context).not.toMatch(/code/);
    expect(contexts[1]).toMatch(/Hello again.*Good morning.*And again/);
    const { body } = await gateway.api<{ content: string }[]>(
      'GET',
      `/messages?conversation_id=${id}&direction=outbound&expand=details`,
    );
    expect(body.data.map(({ content }) => content)).toEqual(['Good morning.', 'Good morning.', 'The code is 4711.']);
    expect(JSON.stringify(body)).not.toMatch(/in_context/);
  });

  it('over replies_per_minute wait, which is reported once', async () => {
    await settings({ rate_limits: { replies_per_minute: 3 } });
    await gateway.sql(`DELETE FROM events WHERE type = 'ai.rate_limited'`);
    const before = asked();
    for (let person = 1; person <= 6; person++) write();
    await eventually('some wait', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE admitted')).not.toHaveLength(0),
    );
    await eventually('none is being made', async () =>
      expect(
        await gateway.sql('SELECT FROM reply_tasks WHERE next_at <= now() OR lease_until IS NOT NULL'),
      ).toHaveLength(0),
    );
    const waiting = await eventually('each has been asked for or waits', async () => {
      const rows = await gateway.sql<{ seconds: number }>(
        `SELECT extract(epoch FROM next_at - now())::float8 AS seconds FROM reply_tasks WHERE next_at IS NOT NULL`,
      );
      expect(rows).toHaveLength(6 - (asked() - before));
      return rows;
    });
    expect(asked() - before).toBeLessThanOrEqual(3);
    for (const { seconds } of waiting) expect(seconds).toBeLessThanOrEqual(60);
    expect(await events('ai.rate_limited')).toEqual([
      {
        environment: 'live',
        provider: 'anthropic',
        model: 'claude-sonnet-5-5',
        scope: 'replies_per_minute',
        retry_after_seconds: expect.any(Number),
      },
    ]);
    // Their turn comes; here it comes at once.
    await settings({ rate_limits: { replies_per_minute: 600 } });
    const sent = telegram.sent.length;
    await gateway.sql('UPDATE reply_tasks SET next_at = now() WHERE admitted');
    await telegram.waitForSent(sent + waiting.length);
  });

  it('mail the owner once at 80 and once at 100 % of the budget', async () => {
    const prices = { 'claude-sonnet-5-5': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
    const env = { SMTP_URL: smtp.url, OWNER_EMAIL: 'owner@example.com' };
    const fresh = await startTestGateway({ anthropic, env });
    const ai = { prices, system_prompt: 's', budget: { daily_usd: null, monthly_usd: 0.001 } };
    await fresh.api('PATCH', '/admin/settings', { ai });
    anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 1, output_tokens: 99 } }));
    const ask = () => fresh.api('POST', '/ai/generate', { message: 'm', options: { max_tokens: 99 } });
    let answered = 0;
    while ((await ask()).status === 200) answered++;
    expect(answered).toBeGreaterThanOrEqual(8);
    for (let more = 1; more <= 3; more++) expect((await ask()).status).toBe(429);
    const subjects = () => smtp.mails.map(({ source }) => /^Subject: (.*)$/m.exec(source)![1]);
    await eventually('both mails are there', () => expect(subjects()).toHaveLength(2), { timeoutMs: 20_000 });
    expect(new Set(subjects())).toEqual(
      new Set([80, 100].map((percent) => `${percent} % of the AI budget of the live environment is spent`)),
    );
    expect(await fresh.sql('SELECT FROM mail_outbox')).toHaveLength(2);
  });
});
