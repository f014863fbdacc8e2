import { PLATFORMS } from '#contracts';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import {
  aTimestamp,
  expectedAccount,
  expectedConnected,
  expectedNotConfigured,
  expectedError,
  expectedNotConnected,
  expectedSend,
} from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };
const BOT = { bot_username: 'gateway_bot', bot_id: '4242' };

interface Integration {
  status: string;
  connected_at: string | null;
  error?: string;
}

describe('an outage of Telegram', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
  });

  afterEach(async () => {
    await gateway.stop();
    await Promise.all([telegram.stop(), anthropic.stop()]);
  });

  const integration = () => gateway.integration<Integration>('telegram');
  const becomes = (status: string, timeoutMs = 15_000) =>
    eventually(
      `Telegram is ${status}`,
      async () => {
        const found = await integration();
        expect(found.status).toBe(status);
        return found;
      },
      { timeoutMs },
    );
  const eventsOf = (type: string) =>
    gateway.sql<{ data: Record<string, unknown> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = $1 ORDER BY created_at, id`,
      [type],
    );
  const reconnect = () => gateway.api('POST', '/integrations/telegram/reconnect');
  /** Once none is under way: what was read before a call tells nothing of what comes after it. */
  const pollsAfter = async (work: () => Promise<unknown>) => {
    const before = telegram.polls;
    await work();
    return telegram.polls - before;
  };

  it('shows the reason, affects nothing else, and ends with the backlog answered', async () => {
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
    const { connected_at } = await integration();
    await telegram.stop();

    const lost = await becomes('reconnecting');
    expect(lost).toEqual(expectedNotConnected('telegram', 'reconnecting', /Telegram cannot be reached/, connected_at));
    const status = await gateway.api<{ status: string; integrations: Record<string, unknown> }>('GET', '/status');
    expect(status.body.data.status).toBe('degraded');
    expect(status.body.data.integrations['telegram']).toMatchObject({
      status: 'reconnecting',
      error: expect.stringContaining('cannot be reached') as string,
    });
    expect(await gateway.api('POST', '/messages/send', SEND)).toMatchObject(
      expectedError('PLATFORM_NOT_CONNECTED', { platform: 'telegram', status: 'reconnecting', reason: lost.error! }),
    );
    const sandbox = await gateway.api('POST', '/messages/send', SEND, { key: gateway.testKey });
    expect(sandbox.body.data).toEqual(expectedSend('7'));
    expect((await gateway.api('GET', '/conversations')).status).toBe(200);
    expect(await eventsOf('integration.disconnected')).toEqual([
      {
        data: {
          platform: 'telegram',
          account: expectedAccount(),
          environment: 'live',
          reason: lost.error,
          last_connected_at: connected_at,
          auto_reconnect: true,
        },
      },
    ]);

    for (const text of ['One', 'Two', 'Three']) telegram.receiveText({ chatId: 7, text });
    await telegram.start();
    await becomes('connected', 40_000);
    await eventually('the backlog is answered', async () => {
      const [row] = await gateway.sql<{ stored: number; answered: number }>(
        `SELECT (SELECT count(*) FROM messages WHERE direction = 'inbound')::int AS stored,
           (SELECT max(answered_seq) FROM reply_tasks)
           - (SELECT max(seq) FROM messages WHERE direction = 'inbound') AS answered`,
      );
      expect(row).toEqual({ stored: 3, answered: 0 });
    });
    await telegram.waitForSent(1);
    expect(await eventsOf('integration.connected')).toHaveLength(2);
  }, 90_000);

  it('keeps an answer that was made while Telegram was down', async () => {
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
    anthropic.hold();
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await anthropic.waitForInFlight(1);
    await telegram.stop();
    await becomes('reconnecting');
    anthropic.release();
    await eventually('the answer waits', async () => {
      expect(await gateway.sql(`SELECT 1 FROM messages WHERE status = 'pending'`)).toHaveLength(1);
    });
    await telegram.start();
    await telegram.waitForSent(1, 60_000);
    expect(telegram.sent).toMatchObject([{ chat_id: 7, text: 'You said: Hello' }]);
    expect(anthropic.requestsOf('messages')).toHaveLength(1);
  }, 90_000);

  it('detects a connection that receives nothing any more', async () => {
    gateway = await startTestGateway({
      telegram,
      anthropic,
      telegramTimings: { pollSeconds: 1, answerMs: 300, pauseMs: 50 },
    });
    await gateway.connected('telegram');
    telegram.fail({ method: 'getUpdates', kind: 'hang', times: Infinity });
    const { error } = await becomes('reconnecting');
    expect(error).toMatch(/no answer within/);
    telegram.clearFaults();
    await becomes('connected');
  }, 60_000);

  it('rejects a bad token permanently, with the reason, until a reconnect', async () => {
    const { token } = telegram;
    telegram.token = '4242:another-token';
    gateway = await startTestGateway({ anthropic, telegram, env: { TELEGRAM_BOT_TOKEN: token } });
    const refused = await becomes('disconnected');
    expect(refused).toEqual(expectedNotConnected('telegram', 'disconnected', /refuses the bot token/));
    expect(JSON.stringify(refused)).not.toContain(token);
    expect(await eventsOf('integration.error')).toMatchObject([{ data: { fatal: true } }]);
    expect(await eventsOf('integration.disconnected')).toMatchObject([{ data: { auto_reconnect: false } }]);

    const calls = telegram.requests.length;
    expect((await gateway.api('POST', '/messages/send', SEND)).body.error.code).toBe('PLATFORM_NOT_CONNECTED');
    // Longer than the pause before a second try would be.
    await eventually('two seconds are over', waitFor(2_000));
    expect(telegram.requests).toHaveLength(calls);

    telegram.token = token;
    const answer = await reconnect();
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      platform: 'telegram',
      status: 'reconnecting',
      message: expect.stringContaining('30 seconds') as string,
    });
    const connected = await becomes('connected');
    expect(connected).toEqual(expectedConnected('telegram', BOT));
  }, 60_000);

  it('ignores a reconnect while reconnecting', async () => {
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
    await telegram.stop();
    await becomes('reconnecting');
    const answers = await Promise.all([reconnect(), reconnect(), reconnect()]);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ platform: 'telegram', status: 'reconnecting' });
    }
    await telegram.start();
    await becomes('connected', 40_000);
    // Two pollers would throw each other out: Telegram answers 409 to the older one.
    await telegram.waitForPoll();
    expect(await pollsAfter(() => eventually('two seconds are over', waitFor(2_000)))).toBe(0);
    expect((await integration()).status).toBe('connected');
  }, 90_000);

  it('says who might poll when Telegram answers 409, and recovers by itself', async () => {
    telegram.fail({ method: 'getUpdates', status: 409, times: 2 });
    gateway = await startTestGateway({ telegram, anthropic });
    const conflict = await eventually('the conflict is shown', async () => {
      const found = await integration();
      expect(found.error).toMatch(/Another process polls with this bot token/);
      return found;
    });
    expect(conflict.status).toBe('reconnecting');
    expect(await becomes('connected')).toMatchObject({ connected_at: aTimestamp() });
  }, 60_000);

  it('prevents neither the start nor the API', async () => {
    await telegram.stop();
    gateway = await startTestGateway({ telegram, anthropic });
    expect((await gateway.api('GET', '/health/ready')).status).toBe(200);
    expect((await integration()).status).toBe('reconnecting');
    expect((await gateway.api('POST', '/ai/generate', { message: 'Hello' })).body.data).toMatchObject({
      response: 'You said: Hello',
    });
    await telegram.start();
    await becomes('connected', 40_000);
  }, 60_000);

  it('shows a platform without credentials as disconnected', async () => {
    gateway = await startTestGateway({ anthropic });
    expect(await integration()).toEqual(expectedNotConfigured('telegram'));
    expect((await reconnect()).body.error.code).toBe('PLATFORM_NOT_CONNECTED');
    expect((await gateway.api('GET', '/status')).body.data).toMatchObject({ status: 'healthy' });
    expect((await gateway.api('POST', '/integrations/fax/reconnect')).body.error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'platform', id: 'fax' },
    });
    const sandbox = await gateway.api<Integration[]>('GET', '/integrations', undefined, { key: gateway.testKey });
    expect(sandbox.body.data.map(({ status }) => status)).toEqual(PLATFORMS.map(() => 'connected'));
  });
});

/** For what must not happen: there is no fact to wait for but that the time is over. */
function waitFor(ms: number): () => void {
  const until = performance.now() + ms;
  return () => expect(performance.now()).toBeGreaterThanOrEqual(until);
}
