import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { fromPublicId } from '#contracts';
import type { SendResultDto } from '../../../src/messages/dto/message.dto';
import type { SendProgress } from '../../../src/messages/send/outbound-message';
import { SendService } from '../../../src/messages/send/send.service';
import { DiscordFake } from '../../fakes/discord.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { aTimestamp } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const SENDS = 20;

describe('a live send with an Idempotency-Key', () => {
  let telegram: TelegramFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
  });

  afterEach(() => jest.restoreAllMocks());

  const send = (recipient: string, key: string, instance = gateway) => {
    const body = { platform: 'telegram', recipient, message: 'Hello' };
    return instance.api<SendResultDto>('POST', '/messages/send', body, {
      key: gateway.liveKey,
      headers: { 'idempotency-key': key },
    });
  };
  const sentTo = (chat: number) => telegram.sent.filter(({ chat_id }) => Number(chat_id) === chat);

  it('commits three times: its key, the message with its write mark, the outcome', async () => {
    await send('1', randomUUID());
    const query = jest.spyOn(Client.prototype, 'query');
    for (let index = 0; index < SENDS; index += 1) {
      const { body } = await send('1', randomUUID());
      expect(body.data.status).toBe('sent');
    }
    const counts = new Map<string, number>();
    for (const [asked] of query.mock.calls as unknown as [{ name?: string; text?: string } | string][]) {
      const name = typeof asked === 'string' ? asked : asked.name || asked.text!;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    // Statements that come less often are not the sends': timers, and rows that are written in batches.
    const ofEach = [...counts].filter(([, count]) => count >= SENDS);
    expect(Object.fromEntries(ofEach)).toEqual({
      'idempotency-claim': SENDS,
      'outbound-accept': SENDS,
      'outbound-finish': SENDS,
    });
  });

  it('keeps no options of the send after its outcome, except those shown with the message', async () => {
    const options = { parse_mode: 'html', disable_notification: true, link_preview: false };
    const interactive = { type: 'choice', options: [{ id: 'yes', title: 'Yes' }] };
    const ids = [];
    for (const more of [{ options }, { options, interactive }]) {
      const body = { platform: 'telegram', recipient: '33', message: 'Hello', ...more };
      const { data } = (await gateway.api<SendResultDto>('POST', '/messages/send', body)).body;
      expect(data.status).toBe('sent');
      ids.push(fromPublicId('message', data.message_id));
    }
    const asSent = { params: { parse_mode: 'HTML', disable_notification: true } };
    expect(sentTo(33)).toMatchObject([asSent, asSent]);
    const stored = await gateway.sql('SELECT options FROM messages WHERE id = ANY ($1) ORDER BY id', [ids]);
    expect(stored).toEqual([{ options: null }, { options: { interactive } }]);
  });

  it('that Telegram refuses is replayed with the same error', async () => {
    const key = randomUUID();
    telegram.block(2);
    const first = await send('2', key);
    expect(first.body.data).toMatchObject({ status: 'failed', sent_at: null, error: { code: 'blocked_by_recipient' } });
    const again = await send('2', key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
    expect(sentTo(2)).toHaveLength(0);
  });

  it('that waits for a pause of Telegram is replayed as pending, even after it is sent', async () => {
    const key = randomUUID();
    telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 60 });
    const first = await send('3', key);
    expect(first.body.data).toMatchObject({ status: 'pending', sent_at: null });
    await gateway.sql('UPDATE message_tasks SET next_at = now()');
    await eventually('it is sent', () => expect(sentTo(3)).toHaveLength(1));
    const again = await send('3', key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
  });

  it('is replayed while its platform is disconnected or the message limit is exceeded', async () => {
    const key = randomUUID();
    const first = await send('4', key);
    const settings = (messages_per_minute: number) =>
      gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute } });
    await settings(1);
    expect((await send('4', randomUUID())).status).toBe(429);
    expect((await send('4', key)).body.data).toEqual(first.body.data);
    await settings(100_000);
    const unconnected = await startTestGateway({ databaseUrl: gateway.databaseUrl });
    expect((await send('4', randomUUID(), unconnected)).body.error.code).toBe('PLATFORM_NOT_CONNECTED');
    // The lease of the key may have run out meanwhile.
    for (const leaseUntil of [`now() + interval '20 seconds'`, `now() - interval '1 second'`]) {
      await gateway.sql(`UPDATE idempotent_requests SET lease_until = ${leaseUntil} WHERE key = $1`, [key]);
      const again = await send('4', key, unconnected);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.body.data).toEqual(first.body.data);
    }
    await unconnected.stop();
  });
});

describe('a process that dies between storing and writing a live send', () => {
  const AMBIGUOUS = { status: 'failed', sent_at: null, error: { code: 'ambiguous', retryable: true } };
  const SENT = { status: 'sent', sent_at: aTimestamp() };
  let telegram: TelegramFake;
  let discord: DiscordFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    [telegram, discord] = await Promise.all([new TelegramFake().start(), new DiscordFake().start()]);
    discord.addChannel('78');
    const env = { DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url };
    gateway = await startTestGateway({ telegram, env });
    await Promise.all([gateway.connected('telegram'), gateway.connected('discord')]);
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([telegram.stop(), discord.stop()]);
  });
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['fails as ambiguous and is never sent', 'telegram', '1', 0, AMBIGUOUS, 0],
    ['is sent where Discord still recognises it', 'discord', '78', 60, SENT, 1],
    ['fails as ambiguous where Discord recognises it no more', 'discord', '78', 180, AMBIGUOUS, 0],
  ])(
    'leaves a message that %s, and a replay says so',
    async (_, platform, recipient, secondsAgo, outcome, sends) => {
      const died = Promise.withResolvers<SendProgress>();
      const service = gateway.app.get(SendService, { strict: false });
      jest.spyOn(service, 'deliver').mockReturnValueOnce(died.promise);
      const message = `Written ${secondsAgo} s ago`;
      const send = () =>
        gateway.api<SendResultDto>(
          'POST',
          '/messages/send',
          { platform, recipient, message },
          { headers: { 'idempotency-key': message } },
        );
      const first = send();
      await eventually('it is stored', async () => {
        const leased = await gateway.sql(
          `WITH task AS (
             UPDATE message_tasks SET lease_until = now() - interval '1 second', next_at = now(),
               write_started_at = write_started_at - $1::integer * interval '1 second'
             RETURNING write_started_at
           ) SELECT write_started_at FROM task`,
          [secondsAgo],
        );
        expect(leased).toEqual([{ write_started_at: expect.any(Date) as Date }]);
      });
      // It waits until the message is sent or given up.
      const again = await send();
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.body.data).toMatchObject(outcome);
      const written = [...telegram.sent.map(({ text }) => text), ...discord.sent.map(({ text }) => text)];
      expect(written.filter((text) => text === message)).toHaveLength(sends);
      died.resolve({ status: 'pending' });
      await first;
    },
    60_000,
  );
});

describe('a send through WhatsApp', () => {
  const scene = new WhatsAppGateway();

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  it('is replayed as sent, even after a receipt has failed it', async () => {
    const { whatsapp, gateway } = scene;
    const send = () =>
      gateway.api<SendResultDto>(
        'POST',
        '/messages/send',
        { platform: 'whatsapp', recipient: '491700000007', message: 'Hello' },
        { headers: { 'idempotency-key': 'receipt' } },
      );
    const first = await send();
    expect(first.body.data.status).toBe('sent');
    const [sent] = scene.sentTo('491700000007');
    await whatsapp.post(whatsapp.statusValue(sent!, 'failed', { code: 131026 }));
    await eventually('it has failed', async () =>
      expect(await scene.read(first.body.data.message_id)).toMatchObject({ status: 'failed' }),
    );
    const again = await send();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
  });
});
