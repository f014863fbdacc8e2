import { accountOf } from '../../support/accounts';
import { PLATFORMS, type Platform } from '#contracts';
import { IntegrationHealth } from '../../../src/integrations/health/integration-health.service';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { withClient } from '../../support/postgres';

interface Direction {
  last_success_at: string | null;
  last_error_at: string | null;
  last_error_code: string | null;
  last_error: string | null;
}
interface Health {
  status: string;
  receiving: Direction & { backlog: number | null };
  sending: Direction;
}

const NOTHING_KNOWN: Direction = {
  last_success_at: null,
  last_error_at: null,
  last_error_code: null,
  last_error: null,
};
const PROMPT = { pollSeconds: 1, backlogCheckMs: 50, webhookCheckMs: 50, pauseMs: 20 };

describe('the health of an integration, per direction', () => {
  let telegram: TelegramFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
  });
  afterEach(async () => {
    await gateway.stop();
    await telegram.stop();
  });

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    gateway = await startTestGateway({ telegram, telegramTimings: PROMPT, env });
    await gateway.connected('telegram');
  };
  const healthOf = (platform: Platform = 'telegram', on = gateway, key = on.liveKey) =>
    on.integration<Health>(platform, key);
  const send = (recipient: string, platform: Platform = 'telegram', key = gateway.liveKey) =>
    gateway.api<{ status: string }>('POST', '/messages/send', { platform, recipient, message: 'Hello' }, { key });
  const failsNow = ({ last_error_at, last_success_at }: Direction) => (last_error_at ?? '') > (last_success_at ?? '');
  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();

  it('shows receiving by completed polls although nothing arrives, and sending by accepted messages', async () => {
    await start();
    const first = await eventually('a poll and the backlog were seen', async () => {
      const health = await healthOf();
      expect(health.receiving).toEqual({ ...NOTHING_KNOWN, last_success_at: expect.any(String) as string, backlog: 0 });
      return health;
    });
    expect(first.sending).toEqual(NOTHING_KNOWN);
    await eventually('later polls count too', async () => {
      const { receiving } = await healthOf();
      expect(receiving.last_success_at! > first.receiving.last_success_at!).toBe(true);
    });

    expect((await send('7')).body.data.status).toBe('sent');
    const { sending } = await healthOf();
    expect(sending).toEqual({ ...NOTHING_KNOWN, last_success_at: expect.any(String) as string });

    const status = await gateway.api<{ integrations: Record<string, Health | string> }>('GET', '/status');
    expect(status.body.data.integrations['telegram']).toMatchObject({ sending, receiving: { backlog: 0 } });
    expect(status.body.data.integrations['discord']).toMatchObject({
      sending: NOTHING_KNOWN,
      receiving: { ...NOTHING_KNOWN, backlog: null },
    });
    const summary = await gateway.api<{ integrations: object }>('GET', '/status?summary=true');
    expect(summary.body.data.integrations).toEqual({
      ...Object.fromEntries(PLATFORMS.map((platform) => [platform, 'disconnected'])),
      telegram: 'connected',
    });
  });

  it('counts as a sending error what concerns our account, not the recipient', async () => {
    await start();
    telegram.block(13);
    expect((await send('13')).body.data.status).toBe('failed');
    expect((await healthOf()).sending).toEqual(NOTHING_KNOWN);

    telegram.fail({ method: 'sendMessage', status: 500 });
    expect((await send('7')).body.data.status).toBe('failed');
    const { sending } = await healthOf();
    expect(sending).toMatchObject({ last_success_at: null, last_error_code: 'platform_unavailable' });
    expect(sending.last_error).toContain('Internal Server Error');

    await send('7');
    const healed = (await healthOf()).sending;
    expect(failsNow(healed)).toBe(false);
    expect(healed.last_error).toBe(sending.last_error);
  });

  it("shows that nothing can be stored, without the database's words, and the waiting updates", async () => {
    await start();
    await gateway.sql(`ALTER TABLE messages ADD CONSTRAINT no_storms CHECK (content <> 'A storm')`);
    telegram.receiveText({ chatId: 7, text: 'A storm' });
    await eventually('the fault and the backlog are shown', async () => {
      const { receiving, status } = await healthOf();
      expect(receiving).toMatchObject({ last_error_code: 'not_stored', backlog: 1 });
      expect(JSON.stringify(receiving)).not.toMatch(/no_storms|constraint|insert/i);
      expect(status).toBe('connected');
    });
    await eventually('the event is there', async () => {
      const events = await gateway.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'integration.error'`);
      expect(events).toHaveLength(1);
      expect(events[0]!.body).not.toMatch(/no_storms|constraint/);
    });
    await gateway.sql(`ALTER TABLE messages DROP CONSTRAINT no_storms`);
    await eventually('it is stored', async () => {
      const { receiving } = await healthOf();
      expect(failsNow(receiving)).toBe(false);
      expect(receiving.backlog).toBe(0);
    });
  });

  it('is connected in webhook mode while Telegram cannot deliver, and reports it', async () => {
    await start({ TELEGRAM_WEBHOOK_URL: 'https://127.0.0.1:9/callbacks/telegram', TELEGRAM_WEBHOOK_SECRET: 'secret' });
    // That the webhook is set proves nothing about what arrives.
    expect((await healthOf()).receiving.last_success_at).toBeNull();
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await eventually('the undelivered update is shown', async () => {
      const { receiving, status } = await healthOf();
      expect(status).toBe('connected');
      expect(receiving).toMatchObject({ last_success_at: null, last_error_code: 'webhook_undelivered', backlog: 1 });
      expect(receiving.last_error).toContain('Connection failed');
    });
  });

  it('counts authentic WhatsApp callbacks as received, and no others', async () => {
    const whatsapp = await new WhatsAppFake().start();
    await start(whatsapp.env);
    await gateway.connected('whatsapp');
    await fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST', body: '{}' });
    expect((await healthOf('whatsapp')).receiving).toEqual({ ...NOTHING_KNOWN, backlog: null });

    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    whatsapp.receiveText({ from: '491701234567', text: 'Hello' });
    await eventually('it is shown', async () => {
      expect((await healthOf('whatsapp')).receiving.last_success_at).not.toBeNull();
    });
    // The account is locked: that is no fault of this recipient's.
    whatsapp.refuseNextSend(131031);
    await send('491701234567', 'whatsapp');
    expect((await healthOf('whatsapp')).sending).toMatchObject({ last_error_code: 'not_permitted' });
    whatsapp.refuseNextSend(131048);
    await send('491701234567', 'whatsapp');
    expect((await healthOf('whatsapp')).sending).toMatchObject({ last_error_code: 'rate_limited' });
    expect(await metrics()).toContain('gateway_platform_rate_limits_total{platform="whatsapp",call="messages"} 1');

    // Accepted at first, and refused later for a bill that is not paid.
    await send('491701234567', 'whatsapp');
    const [accepted] = await whatsapp.waitForSent(1);
    await whatsapp.post(whatsapp.statusValue(accepted!, 'failed', { code: 131042 }));
    expect((await healthOf('whatsapp')).sending.last_error).toContain('payment method');
    await whatsapp.shutDown();
  });

  it('clears the sending error once WhatsApp can be called again', async () => {
    const whatsapp = await new WhatsAppFake().start();
    await start(whatsapp.env);
    await gateway.connected('whatsapp');
    await send('491701234567', 'whatsapp');
    const worked = (await healthOf('whatsapp')).sending;
    whatsapp.fail({ method: 'phone', status: 502, times: Infinity });
    await gateway.api('POST', '/integrations/whatsapp/reconnect');
    await eventually('it fails', async () => {
      expect(failsNow((await healthOf('whatsapp')).sending)).toBe(true);
    });
    whatsapp.clearFaults();
    await gateway.connected('whatsapp');
    await eventually('it works', async () => expect((await healthOf('whatsapp')).sending).toEqual(worked));
    await whatsapp.shutDown();
  });

  it('stores errors with any text', async () => {
    await start();
    const health = gateway.app.get(IntegrationHealth);
    health.failed(accountOf('live', 'whatsapp'), 'sending', { code: 'a\u0000b', message: `${'x'.repeat(499)}😀` });
    health.succeeded(accountOf('live', 'discord'), 'sending');
    const stored = await eventually('it is written', async () => {
      const rows = await gateway.sql<{ code: string | null; error: string | null }>(
        `SELECT last_error_code AS code, last_error AS error FROM integration_health
         WHERE platform <> 'telegram' ORDER BY platform`,
      );
      expect(rows).toHaveLength(2);
      return rows;
    });
    expect(stored).toEqual([
      { code: null, error: null },
      { code: 'ab', error: `${'x'.repeat(499)}\uFFFD` },
    ]);
  });

  it('drops an old backlog value', async () => {
    await start();
    await gateway.sql(
      `INSERT INTO integration_health (environment, platform, direction, backlog, backlog_at)
       VALUES ('test', 'whatsapp', 'receiving', 500, now()), ('test', 'discord', 'receiving', 500, now() - interval '2 minutes')`,
    );
    const backlog = async (platform: Platform) =>
      (await healthOf(platform, gateway, gateway.testKey)).receiving.backlog;
    await eventually('the new one is shown', async () => expect(await backlog('whatsapp')).toBe(500));
    expect(await backlog('discord')).toBeNull();
  });

  it('is the same on every instance, and survives a stop', async () => {
    await start();
    const other = await startTestGateway({ telegram, databaseUrl: gateway.databaseUrl, telegramTimings: PROMPT });
    await other.connected('telegram');
    await other.api('POST', '/messages/send', { platform: 'telegram', recipient: '7', message: 'From the other' });
    const { sending } = await healthOf('telegram', other);
    expect(sending.last_success_at).not.toBeNull();
    await eventually('the first one shows it', async () => {
      expect((await healthOf()).sending).toEqual(sending);
    });

    await other.api('POST', '/messages/send', { platform: 'telegram', recipient: '7', message: 'Once more' });
    const last = (await healthOf('telegram', other)).sending.last_success_at;
    await other.stop();
    const [row] = await withClient(gateway.databaseUrl, async (client) => {
      const { rows } = await client.query<{ at: Date }>(
        `SELECT last_success_at AS at FROM integration_health WHERE platform = 'telegram' AND direction = 'sending'`,
      );
      return rows;
    });
    expect(row!.at.toISOString()).toBe(last);
  });

  it('is that of the sandbox for test keys', async () => {
    await start();
    const key = gateway.testKey;
    await send('7', 'telegram', key);
    await send('sandbox_fail', 'telegram', key);
    const inbound = { platform: 'telegram', sender: { id: '7' }, content: 'Hello' };
    expect((await gateway.api('POST', '/sandbox/inbound', inbound, { key })).status).toBe(200);
    const { receiving, sending } = await healthOf('telegram', gateway, key);
    const seen = { ...NOTHING_KNOWN, last_success_at: expect.any(String) as string };
    expect([receiving, sending]).toEqual([{ ...seen, backlog: null }, seen]);
    expect((await healthOf()).sending).toEqual(NOTHING_KNOWN);
  });

  it('is exported to Prometheus, with the limits that were hit', async () => {
    await start();
    telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 0 });
    await send('7');
    gateway.app.get(IntegrationHealth).succeeded(accountOf('live', 'discord'), 'receiving');
    await eventually('the backlog is known', async () => expect((await healthOf()).receiving.backlog).toBe(0));
    const text = await metrics();
    expect(text).toContain('gateway_integration_state{platform="telegram",status="connected"} 1');
    expect(text).toContain('gateway_integration_state{platform="discord",status="disconnected"} 1');
    // No alert is due for a platform that was given up.
    expect(text).not.toMatch(/timestamp_seconds\{platform="discord"/);
    expect(text).toMatch(/last_success_timestamp_seconds\{platform="telegram",direction="receiving"\} 1\.?\d{9}/);
    expect(text).toMatch(/last_success_timestamp_seconds\{platform="telegram",direction="sending"\} \d/);
    expect(text).toContain('gateway_integration_backlog{platform="telegram"} 0');
    expect(text).toContain('gateway_platform_rate_limits_total{platform="telegram",call="sendMessage"} 1');
  });
});
