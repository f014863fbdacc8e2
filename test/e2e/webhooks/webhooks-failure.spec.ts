import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const RETRIES = 5;
const ENV = {
  ...LOCAL_RECEIVERS,
  WEBHOOK_RETRY_SCHEDULE: Array(RETRIES).fill('1').join(','),
  MAIL_FROM: 'Gateway <gateway@example.com>',
  OWNER_EMAIL: 'owner@example.com',
};

describe('a receiver that stays broken', () => {
  let receiver: ReceiverFake;
  beforeAll(async () => void (receiver = await new ReceiverFake().start()));

  async function start(env: NodeJS.ProcessEnv): Promise<TestGateway> {
    return startTestGateway({ env: { ...ENV, ...env } });
  }

  async function register(gateway: TestGateway, path: string): Promise<string> {
    const { body } = await gateway.api<{ id: string }>(
      'POST',
      '/webhooks',
      { url: receiver.url(path), events: ['message.sent'] },
      { key: gateway.testKey },
    );
    return body.data.id;
  }

  const send = (gateway: TestGateway, key = gateway.testKey) =>
    gateway.api('POST', '/messages/send', { platform: 'discord', recipient: 'ada', message: 'hello' }, { key });

  const statusOf = async (gateway: TestGateway, id: string) =>
    (await gateway.api<{ status: string }>('GET', `/webhooks/${id}`, undefined, { key: gateway.testKey })).body.data
      .status;

  const hasFailed = (gateway: TestGateway, id: string) =>
    eventually('the webhook has failed', async () => expect(await statusOf(gateway, id)).toBe('failed'), {
      timeoutMs: 25_000,
    });

  it('fails the webhook after the fifth retry, mails the owner once, and gets all events by a replay', async () => {
    const smtp = await new SmtpFake().start();
    const gateway = await start({ SMTP_URL: smtp.url });
    const since = new Date(Date.now() - 1_000).toISOString();
    const path = '/broken';
    const id = await register(gateway, path);
    receiver.react(500, path);
    smtp.refuse(1);
    await Promise.all([send(gateway), send(gateway)]);
    await hasFailed(gateway, id);

    const posts = receiver.postsTo(path);
    const [first] = posts;
    const attempts = posts.filter(({ event }) => event.id === first!.event.id);
    expect(attempts.length).toBeGreaterThanOrEqual(RETRIES);
    expect(attempts.length).toBeLessThanOrEqual(RETRIES + 1);

    const mail = await eventually(
      'the mail arrives, after one refusal',
      () => {
        expect(smtp.mails).toHaveLength(1);
        return smtp.mails[0]!;
      },
      { timeoutMs: 15_000 },
    );
    expect(mail).toMatchObject({ from: 'gateway@example.com', to: ['owner@example.com'] });
    for (const part of [id, receiver.url(path), 'The receiver answered 500', '/replay', '"enabled"']) {
      expect(mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(part);
    }
    // A missed event: none is sent while the webhook is out of service.
    await send(gateway);
    const before = receiver.postsTo(path).length;
    receiver.react(200, path);
    await gateway.api('PATCH', `/webhooks/${id}`, { enabled: true }, { key: gateway.testKey });
    await gateway.api('POST', `/webhooks/${id}/replay`, { since }, { key: gateway.testKey });
    await eventually('all three events are delivered', () => {
      const delivered = new Set(
        receiver
          .postsTo(path)
          .slice(before)
          .map(({ event }) => event.id),
      );
      expect(delivered.size).toBe(3);
      expect(delivered).toContain(first!.event.id);
    });
    expect(await statusOf(gateway, id)).toBe('active');
    const mails = await gateway.sql<{ sent: boolean }>('SELECT sent_at IS NOT NULL AS sent FROM mail_outbox');
    expect(mails).toEqual([{ sent: true }]);
    await gateway.stop();
    await smtp.stop();
  }, 60_000);

  it('is retried on schedule, also at once and in fractions of a second', async () => {
    const schedule = [0, 0.3, 0.3, 0.3, 0.3];
    const gateway = await start({ WEBHOOK_RETRY_SCHEDULE: schedule.join(',') });
    const path = '/in-time';
    const id = await register(gateway, path);
    receiver.react(500, path);
    await send(gateway);
    await hasFailed(gateway, id);

    const times = receiver.postsTo(path).map(({ at }) => at);
    const waited = times.slice(1).map((at, index) => (at - times[index]!) / 1000);
    expect(waited).toHaveLength(schedule.length);
    expect(waited.filter((seconds, index) => seconds < schedule[index]!)).toEqual([]);
    // By the sweep alone it would take a second each.
    expect(times.at(-1)! - times[0]!).toBeLessThan(4_500);
  }, 60_000);

  it('keeps the mail in the queue if no mail can be sent', async () => {
    const gateway = await start({ WEBHOOK_RETRY_SCHEDULE: '0,0,0,0,0' });
    const path = '/no-mail';
    const id = await register(gateway, path);
    receiver.react(500, path);
    await send(gateway);
    await hasFailed(gateway, id);
    await eventually('it is kept', async () => {
      const rows = await gateway.sql('SELECT subject, error, sent_at, next_at FROM mail_outbox');
      expect(rows).toEqual([
        { subject: `Webhook ${id} has failed`, error: 'SMTP_URL is not set', sent_at: null, next_at: null },
      ]);
    });
  });
});
