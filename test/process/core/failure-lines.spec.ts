import { OtlpFake } from '../../fakes/otlp.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { testEnvironment } from '../../support/environment';
import { eventually } from '../../support/eventually';
import { GatewayProcess } from '../../support/process';

jest.setTimeout(60_000);

type Line = Readonly<Record<string, unknown>>;

describe('the log at debug', () => {
  const telegram = new TelegramFake();
  const receiver = new ReceiverFake();
  const smtp = new SmtpFake();
  const otlp = new OtlpFake();
  const fakes = [telegram, receiver, smtp, otlp];
  let gateway: GatewayProcess;

  beforeAll(async () => {
    for (const fake of fakes) await fake.start();
    telegram.block(7);
    receiver.react(503, '/hook');
    smtp.refuse(1);
    gateway = await GatewayProcess.start({
      env: {
        ...testEnvironment({ telegram }),
        ...LOCAL_RECEIVERS,
        LOG_LEVEL: 'debug',
        SMTP_URL: smtp.url,
        OWNER_EMAIL: 'owner@example.com',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
        WEBHOOK_RETRY_SCHEDULE: '0.1,0.1,0.1,0.1,0.1',
      },
    });
  });
  afterAll(() => Promise.all(fakes.map((fake) => fake.stop())));

  const lines = (message: string): Line[] =>
    gateway.output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line)
      .filter(({ msg }) => String(msg).startsWith(message));

  it('has a line for each failure of a platform, a receiver and the mail server, with ids and trace', async () => {
    const { body } = await gateway.api<{ id: string }>('POST', '/webhooks', {
      url: receiver.url('/hook'),
      events: ['message.failed'],
    });
    const webhook = body.data.id;
    await eventually('Telegram is connected', async () => {
      const { body: sent } = await gateway.api<{ status: string }>('POST', '/messages/send', {
        platform: 'telegram',
        recipient: '7',
        message: 'Hi',
      });
      expect(sent.data.status).toBe('failed');
    });
    await eventually('the webhook has failed and the mail went the second time', () =>
      expect(smtp.mails).toHaveLength(1),
    );

    expect(lines('The platform rejected a message')).toEqual([
      expect.objectContaining({
        level: 'debug',
        code: 'blocked_by_recipient',
        platform_code: '403',
        message_id: expect.stringMatching(/^msg_/) as string,
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      }),
    ]);
    const failed = lines('A delivery failed');
    const about = {
      webhook_id: webhook,
      event_id: expect.stringMatching(/^evt_/) as string,
      delivery_id: expect.stringMatching(/^del_/) as string,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    };
    expect(failed.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const line of failed) expect(line).toMatchObject({ ...about, level: 'debug', response_code: 503 });
    expect(lines(`Webhook ${webhook} is now failed`)).toMatchObject([about]);
    expect(lines('The mail server rejected a mail')).toMatchObject([
      { level: 'debug', mail_id: expect.any(String) as string, err: { message: expect.any(String) as string } },
    ]);
    // No line has the text of the message.
    expect(gateway.output).not.toContain('"Hi"');
  });

  it('has a line for each failed attempt to reach a platform', async () => {
    await telegram.stop();
    await eventually('two attempts have failed', () => expect(lines('The platform failed').length).toBeGreaterThan(1));
    expect(lines('The platform failed')[0]).toMatchObject({
      level: 'debug',
      context: expect.stringMatching(/ telegram default$/) as string,
      code: expect.any(String) as string,
    });
    await telegram.start();
  });
});
