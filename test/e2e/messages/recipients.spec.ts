import { TelegramFake } from '../../fakes/telegram.fake';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const INVALID = [
  ' 12',
  '12 ',
  '+12',
  '012',
  '-012',
  '-0',
  '1.0',
  '1e3',
  '0x12',
  '1_000',
  '١٢',
  'ada',
  '@',
  '@ada b',
  '12\n',
  '-',
];

describe('The recipient of a message', () => {
  const telegram = new TelegramFake();
  let gateway: TestGateway;

  beforeAll(async () => {
    await telegram.start();
    gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
  });

  const send = (platform: string, recipient: string, key = gateway.liveKey) =>
    gateway.api<{ status: string; recipient: string }>(
      'POST',
      '/messages/send',
      { platform, recipient, message: 'Hello' },
      { key },
    );

  it.each(INVALID)('on Telegram may not be %j: nothing is stored or sent', async (recipient) => {
    for (const platform of ['telegram', 'the service']) {
      expect(await send(platform, recipient)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'recipient', value: recipient } } },
      });
    }
    expect(await gateway.sql('SELECT FROM messages')).toEqual([]);
    expect(telegram.requestsOf('sendMessage')).toEqual([]);
  });

  it.each(['12', '-1001234567890', '9007199254740993', '@ada_lovelace'])('on Telegram may be %s', async (recipient) => {
    expect(await send('telegram', recipient)).toMatchObject({ status: 200, body: { data: { recipient } } });
    const chat = telegram.requestsOf('sendMessage').at(-1)!.body['chat_id'];
    expect(String(chat)).toBe(recipient);
  });

  it.each(INVALID)('may be %j in the sandbox', async (recipient) => {
    expect(await send('telegram', recipient, gateway.testKey)).toMatchObject({
      status: 200,
      body: { data: { status: 'sent', recipient } },
    });
  });
});
