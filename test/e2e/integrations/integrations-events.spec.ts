import type { EventType } from '#contracts';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const PROMPT = { pollSeconds: 1, pauseMs: 20, webhookCheckMs: 30 };

describe('the events of an integration', () => {
  let telegram: TelegramFake;
  let gateways: TestGateway[];

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
    gateways = [];
  });
  afterEach(async () => {
    for (const gateway of gateways) await gateway.stop();
    await telegram.stop();
  });

  /** A further instance of the same deployment, if there is one already. */
  const start = async (env: NodeJS.ProcessEnv = {}) => {
    const databaseUrl = gateways[0]?.databaseUrl;
    const gateway = await startTestGateway({ telegram, telegramTimings: PROMPT, databaseUrl, env });
    gateways.push(gateway);
    return gateway;
  };
  const stop = async (gateway: TestGateway) => {
    await gateway.stop();
  };
  const statusIs = (gateway: TestGateway, status: string, error?: RegExp) =>
    eventually(
      `Telegram is ${status}`,
      async () => {
        const shown = await gateway.integration('telegram');
        expect(shown.status).toBe(status);
        if (error) expect(shown.error).toMatch(error);
      },
      { timeoutMs: 40_000 },
    );
  /** In the order in which they happened, without their prefix. */
  const told = async (gateway: TestGateway) => {
    const rows = await gateway.sql<{ type: EventType }>(
      `SELECT type FROM events WHERE type LIKE 'integration.%' ORDER BY created_at, id`,
    );
    return rows.map(({ type }) => type.slice('integration.'.length));
  };
  const fence = async (gateway: TestGateway) => {
    const [row] = await gateway.sql<{ fence: number }>(`SELECT fence FROM integrations WHERE platform = 'telegram'`);
    return row!.fence;
  };
  const polledAnew = (before: number) =>
    telegram.waitUntil(
      () => telegram.requestsOf('getMe').length > before,
      () => 'no instance connected anew',
      20_000,
    );

  it('are not repeated by a restart, in any state', async () => {
    const first = await start();
    await first.connected('telegram');
    expect(await told(first)).toEqual(['connected']);
    await stop(first);

    const second = await start();
    await second.connected('telegram');
    expect(await told(second)).toEqual(['connected']);

    await telegram.stop();
    await statusIs(second, 'reconnecting', /cannot be reached/);
    const lost = ['connected', 'error', 'disconnected'];
    expect(await told(second)).toEqual(lost);
    await stop(second);

    const third = await start();
    await statusIs(third, 'reconnecting', /cannot be reached/);
    expect(await told(third)).toEqual(lost);
    await telegram.start();
    await third.connected('telegram');
    expect(await told(third)).toEqual([...lost, 'connected']);
  }, 90_000);

  it('report a refusal once, however often the platform is restarted or reconnected', async () => {
    const { token } = telegram;
    telegram.token = '4242:another-token';
    const first = await start({ TELEGRAM_BOT_TOKEN: token });
    await statusIs(first, 'disconnected');
    expect(await told(first)).toEqual(['error', 'disconnected']);
    await stop(first);

    const second = await start({ TELEGRAM_BOT_TOKEN: token });
    await statusIs(second, 'disconnected');
    const calls = telegram.requestsOf('getMe').length;
    await second.api('POST', '/integrations/telegram/reconnect');
    await polledAnew(calls);
    await statusIs(second, 'disconnected');
    expect(await told(second)).toEqual(['error', 'disconnected']);
  }, 60_000);

  it('are not repeated when another instance takes over', async () => {
    const first = await start();
    await first.connected('telegram');
    const second = await start();
    await second.connected('telegram');
    const before = await fence(first);
    const calls = telegram.requestsOf('getMe').length;
    // As after a freeze: the lease has run out, and another instance may have it.
    await first.sql(`UPDATE integrations SET holder = NULL, lease_until = NULL, fence = fence + 1`);
    await polledAnew(calls);
    await statusIs(second, 'connected');
    expect(await fence(second)).toBeGreaterThan(before + 1);
    await stop(first);
    await second.connected('telegram');
    expect(await told(second)).toEqual(['connected']);
  }, 60_000);

  it('report each change of an unstable connection, and no retry', async () => {
    const gateway = await start();
    for (const round of [1, 2]) {
      await gateway.connected('telegram');
      await telegram.stop();
      await statusIs(gateway, 'reconnecting', /cannot be reached/);
      // Retried at least once more, in vain.
      const errorAt = async () =>
        (await gateway.integration<{ receiving: { last_error_at: string } }>('telegram')).receiving.last_error_at;
      const before = await errorAt();
      await eventually('it was retried', async () => expect((await errorAt()) > before).toBe(true));
      await telegram.start();
      await gateway.connected('telegram');
      const changes = Array.from({ length: round }, () => ['disconnected', 'connected']).flat();
      expect(await told(gateway)).toEqual(['connected', 'error', ...changes]);
    }
  }, 90_000);

  it('report an error although sends failed the same way before a restart', async () => {
    const first = await start();
    await first.connected('telegram');
    telegram.fail({ method: 'sendMessage', status: 500 });
    await first.api('POST', '/messages/send', { platform: 'telegram', recipient: '7', message: 'Hello' });
    await stop(first);
    telegram.fail({ method: 'getMe', status: 502, times: Infinity });
    const second = await start();
    await statusIs(second, 'reconnecting', /502/);
    await eventually('it is told', async () => {
      expect(await told(second)).toEqual(['connected', 'error', 'disconnected']);
    });
  }, 60_000);

  it('report a warning once, however often it occurs', async () => {
    const env = { TELEGRAM_WEBHOOK_URL: 'https://127.0.0.1:9/callbacks/telegram', TELEGRAM_WEBHOOK_SECRET: 'secret' };
    const first = await start(env);
    await first.connected('telegram');
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await eventually('it is told', async () => expect(await told(first)).toEqual(['connected', 'error']));
    const looks = telegram.requestsOf('getWebhookInfo').length;
    await telegram.waitUntil(
      () => telegram.requestsOf('getWebhookInfo').length > looks + 5,
      () => 'no instance looked again',
    );
    await stop(first);
    const second = await start(env);
    await second.connected('telegram');
    expect(await told(second)).toEqual(['connected', 'error']);
  }, 60_000);
});

describe('a storm of reconnects', () => {
  it('on two instances opens one new connection', async () => {
    const telegram = await new TelegramFake().start();
    const one = await startTestGateway({ telegram, telegramTimings: PROMPT });
    await one.connected('telegram');
    const { databaseUrl } = one;
    const other = await startTestGateway({ telegram, telegramTimings: PROMPT, databaseUrl });
    await other.connected('telegram');
    const before = telegram.requestsOf('getMe').length;
    // Connecting takes longer than the storm: requests meanwhile ask for what is under way.
    const stormIsOver = Promise.withResolvers<void>();
    telegram.holdBack(stormIsOver.promise, 'getMe');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        [one, other][index % 2]!.api<{ status: string }>('POST', '/integrations/telegram/reconnect'),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.status}`))).toEqual(
      new Set(['200 reconnecting']),
    );
    await telegram.waitUntil(
      () => telegram.requestsOf('getMe').length > before,
      () => 'no instance connected anew',
    );
    stormIsOver.resolve();
    await Promise.all([one.connected('telegram'), other.connected('telegram')]);
    await telegram.waitForPoll();
    expect(telegram.requestsOf('getMe')).toHaveLength(before + 1);
    const [row] = await one.sql(`SELECT status, fence FROM integrations WHERE platform = 'telegram'`);
    expect(row).toEqual({ status: 'connected', fence: 1 });
    await other.stop();
    await one.stop();
    await telegram.stop();
  }, 60_000);

  it('tries once a second at most while Telegram is down', async () => {
    const telegram = await new TelegramFake().start();
    const gateway = await startTestGateway({ telegram, telegramTimings: PROMPT });
    await gateway.connected('telegram');
    telegram.fail({ method: 'getMe', status: 502, times: Infinity });
    await gateway.api('POST', '/integrations/telegram/reconnect');
    const before = telegram.requestsOf('getMe').length;
    const startedAt = performance.now();
    for (let round = 0; round < 100; round += 1) {
      await gateway.api('POST', '/integrations/telegram/reconnect');
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(telegram.requestsOf('getMe').length - before).toBeLessThanOrEqual(2 + seconds);
    telegram.clearFaults();
    await gateway.connected('telegram');
    await gateway.stop();
    await telegram.stop();
  }, 60_000);
});
