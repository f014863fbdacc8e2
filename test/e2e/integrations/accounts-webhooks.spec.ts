import { finishSchema } from '../../../src/core/database/data-source';
import type { IntegrationDto } from '../../../src/integrations/dto/integration.dto';
import { RouterFake } from '../../fakes/router.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const QUIET = { info: () => undefined, warn: () => undefined };
const PUBLIC = 'https://127.0.0.1:9/callbacks/telegram';

interface Registration {
  url: string;
  secret_token: string;
}

describe('Two bots of Telegram in webhook mode', () => {
  const bots = [new TelegramFake(), new TelegramFake({ token: '5353:second' })] as const;
  const router = new RouterFake(({ url }) => (url!.includes(bots[1].token) ? bots[1].url : bots[0].url));
  let gateway: TestGateway;
  let id: string;
  let ofFirst: Registration;
  let ofSecond: Registration;

  beforeAll(async () => {
    await Promise.all([...bots.map((bot) => bot.start()), router.start()]);
    const env = {
      TELEGRAM_BOT_TOKEN: bots[0].token,
      TELEGRAM_API_ROOT: router.url,
      TELEGRAM_WEBHOOK_URL: PUBLIC,
      TELEGRAM_WEBHOOK_SECRET: 'secret-of-the-first',
    };
    gateway = await startTestGateway({ env });
    await finishSchema(gateway.databaseUrl, QUIET);
    const body = { platform: 'telegram', name: 'Second', credentials: { bot_token: bots[1].token } };
    const added = await gateway.api<IntegrationDto>('POST', '/integrations', body);
    expect(added.status).toBe(201);
    id = added.body.data.id!;
    [ofFirst, ofSecond] = await eventually('both have told Telegram their address', () => {
      const registrations = bots.map((bot) => bot.requestsOf('setWebhook').at(-1)?.body);
      expect(registrations).not.toContain(undefined);
      return registrations as unknown as [Registration, Registration];
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await router.stop();
    await Promise.all(bots.map((bot) => bot.stop()));
  });

  const post = async (url: string, secret: string, text: string, message_id: number) => {
    const from = { id: 7, is_bot: false, first_name: 'Ada' };
    const message = {
      message_id,
      from,
      chat: { id: 7, type: 'private', first_name: 'Ada' },
      date: 1_800_000_000,
      text,
    };
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
    const answer = await fetch(`${gateway.url}${new URL(url).pathname}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ update_id: message_id, message }),
    });
    return answer.status;
  };

  it('register an address and a secret each', () => {
    expect(ofFirst).toMatchObject({ url: PUBLIC, secret_token: 'secret-of-the-first' });
    expect(ofSecond.url).toBe(`${PUBLIC}/${id}`);
    expect(ofSecond.secret_token).not.toBe(ofFirst.secret_token);
  });

  it('store what comes to their address, though both number the messages of a chat alike', async () => {
    expect(await post(ofFirst.url, ofFirst.secret_token, 'to the first', 1)).toBe(200);
    expect(await post(ofSecond.url, ofSecond.secret_token, 'to the second', 1)).toBe(200);
    const { body } = await gateway.api<{ content: string; account: { name: string } }[]>(
      'GET',
      '/messages?sort=created_at',
    );
    expect(body.data.map(({ content, account }) => [content, account.name])).toEqual([
      ['to the first', 'default'],
      ['to the second', 'Second'],
    ]);
  });

  it('are told apart by their secrets at the common address; the address of one refuses the secret of the other', async () => {
    expect(await post(ofFirst.url, ofSecond.secret_token, 'by secret', 2)).toBe(200);
    expect(await post(ofSecond.url, ofFirst.secret_token, 'forged', 3)).toBe(401);
    expect(await post(ofFirst.url, 'wrong', 'forged', 4)).toBe(401);
    const { body } = await gateway.api<{ content: string; account: { name: string } }[]>('GET', '/messages');
    expect(body.data[0]).toMatchObject({ content: 'by secret', account: { name: 'Second' } });
    expect(body.data.filter(({ content }) => content === 'forged')).toEqual([]);
  });
});
