import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const MESSAGES = 120;
const SLOW = 7;
const OTHER = 8;
/** The longest that a send of another key may take on a busy machine, in milliseconds. */
const SEND_MS = 2_000;
/** A scheduled one waits for up to two sweeps besides. */
const SCHEDULED_MS = 5_000;

describe('120 messages to a chat that answers 429', () => {
  let telegram: TelegramFake;
  let gateway: TestGateway;

  const send = (recipient: number, key?: string, more = {}) =>
    gateway.api<{ status: string }>(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: String(recipient), message: 'Hello', ...more },
      { key },
    );
  const attempts = () =>
    telegram.requestsOf('sendMessage').filter(({ body }) => String(body['chat_id']) === String(SLOW)).length;
  const sentToOther = () => telegram.sent.filter(({ chat_id }) => String(chat_id) === String(OTHER)).length;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 100_000 } });
    telegram.slowDown(SLOW, 5);
    const answers = await Promise.all(Array.from({ length: MESSAGES }, () => send(SLOW)));
    expect(answers.map(({ body }) => body.data.status)).toEqual(Array(MESSAGES).fill('pending'));
  });

  it('delay no send or scheduled send of another key', async () => {
    const key = await gateway.createKey();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await send(OTHER, key, { send_at: later })).body.data.status).toBe('scheduled');
    const before = attempts();
    await gateway.sql('UPDATE message_tasks SET next_at = now()');
    await eventually('the pending sends run', () => expect(attempts()).toBeGreaterThan(before));
    const startedAt = performance.now();
    await gateway.sql('UPDATE scheduled_sends SET next_at = now()');
    expect((await send(OTHER, key)).body.data.status).toBe('sent');
    const sendMs = performance.now() - startedAt;
    await eventually('the scheduled one is sent', () => expect(sentToOther()).toBe(2), { timeoutMs: 25_000 });
    const scheduledMs = performance.now() - startedAt;
    process.stdout.write(`  send ${Math.round(sendMs)} ms, scheduled send ${Math.round(scheduledMs)} ms\n`);
    expect(sendMs).toBeLessThan(SEND_MS);
    expect(scheduledMs).toBeLessThan(SCHEDULED_MS);
  });
});
