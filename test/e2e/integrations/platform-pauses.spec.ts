import type { Platform } from '#contracts';
import { DiscordFake } from '../../fakes/discord.fake';
import type { HttpFake } from '../../fakes/http-fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** How long the gateway waits within the call, in milliseconds, and what a busy machine may add. */
const PAUSES_MS = 2_000;
const BUSY_MS = 2_000;
const SLOW_ANSWER_MS = 800;
/** Three parts. */
const LONG_TEXT = Array.from({ length: 3 }, (_, index) => String(index).repeat(1_999)).join('\n');

interface Sent {
  message_id: string;
  status: string;
  /** How long the request took. */
  ms: number;
  /** How many calls of the platform it made. */
  calls: number;
}

describe('a send to a platform that asks to wait', () => {
  let telegram: TelegramFake;
  let discord: DiscordFake;
  let whatsapp: WhatsAppFake;
  let gateway: TestGateway;
  /** Made at the same time: each is waited for as long as the gateway waits. */
  let sends: Record<Platform, Promise<Sent>>;

  const send = async (platform: Platform, fake: HttpFake, method: string, message = 'Hello'): Promise<Sent> => {
    const before = fake.requestsOf(method).length;
    const startedAt = performance.now();
    const { body } = await gateway.api<Sent>('POST', '/messages/send', { platform, recipient: '77', message });
    const calls = fake.requestsOf(method).length - before;
    return { ...body.data, ms: performance.now() - startedAt, calls };
  };

  const statusOf = async ({ message_id }: Sent): Promise<string> =>
    (await gateway.api<Sent>('GET', `/messages/${message_id}`)).body.data.status;

  /** Discord asks for a second before each part. */
  const throttleEachPart = async (): Promise<void> => {
    for (let sent = 0; sent < 3; sent += 1) {
      await discord.waitForSent(sent, 10 * PAUSES_MS);
      discord.fail({ method: 'messages', status: 429, retryAfter: 1 });
    }
  };

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    discord = await new DiscordFake().start();
    whatsapp = await new WhatsAppFake().start();
    discord.addChannel('77', 'help');
    const env = { ...whatsapp.env, DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url };
    gateway = await startTestGateway({ telegram, env });
    await Promise.all((['telegram', 'discord', 'whatsapp'] as const).map((platform) => gateway.connected(platform)));

    telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 0, times: Infinity });
    const parts = throttleEachPart();
    parts.catch(() => undefined);
    whatsapp.delay(SLOW_ANSWER_MS, 'messages');
    whatsapp.fail({ method: 'messages', status: 429, retryAfter: 0.2, times: Infinity });
    sends = {
      telegram: send('telegram', telegram, 'sendMessage'),
      discord: send('discord', discord, 'messages', LONG_TEXT),
      whatsapp: send('whatsapp', whatsapp, 'messages'),
    };
  });

  it('calls it once a second, for two seconds, if it asks for 0 s, and is pending then', async () => {
    const { status, ms, calls } = await sends.telegram;
    expect(status).toBe('pending');
    expect(ms).toBeLessThan(PAUSES_MS + BUSY_MS);
    expect(calls).toBe(PAUSES_MS / 1_000);
  });

  it('is pending after two seconds in all if each part gets a pause of a second', async () => {
    const { status, ms, calls } = await sends.discord;
    expect(status).toBe('pending');
    expect(ms).toBeLessThan(PAUSES_MS + BUSY_MS);
    expect(calls).toBe(3);
    expect(discord.sent).toHaveLength(1);
  });

  it('is pending after two seconds in all if the platform answers slowly', async () => {
    const { status, ms, calls } = await sends.whatsapp;
    expect(status).toBe('pending');
    expect(ms).toBeLessThan(PAUSES_MS + SLOW_ANSWER_MS + BUSY_MS);
    expect(calls).toBeLessThanOrEqual(2);
  });

  it('is sent once the platform accepts it, each part once', async () => {
    const messages = await Promise.all(Object.values(sends));
    whatsapp.delay(0, 'messages');
    for (const fake of [telegram, discord, whatsapp]) fake.clearFaults();
    await eventually('all were sent', async () => {
      for (const message of messages) expect(['sent', 'delivered']).toContain(await statusOf(message));
    });
    expect([telegram.sent.length, discord.sent.length, whatsapp.sent.length]).toEqual([1, 3, 1]);
  });

  it('is pending at once if the pause is longer, and due within a day', async () => {
    telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 1e12 });
    const { status, ms, calls } = await send('telegram', telegram, 'sendMessage');
    expect({ status, calls }).toEqual({ status: 'pending', calls: 1 });
    expect(ms).toBeLessThan(BUSY_MS);
    const [task] = await gateway.sql<{ hours: number }>(
      `SELECT extract(epoch FROM next_at - now())::float / 3600 AS hours FROM message_tasks`,
    );
    expect(task!.hours).toBeGreaterThan(23);
    expect(task!.hours).toBeLessThanOrEqual(24);
  });
});
