import type { Platform } from '#contracts';
import { DiscordFake } from '../../test/fakes/discord.fake';
import { ReceiverFake } from '../../test/fakes/receiver.fake';
import { TelegramFake } from '../../test/fakes/telegram.fake';
import { WhatsAppFake } from '../../test/fakes/whatsapp.fake';
import { DIAGNOSES, type PlatformOptions } from './diagnosis';

const telegram = new TelegramFake();
const discord = new DiscordFake();
const whatsapp = new WhatsAppFake();

beforeAll(() => Promise.all([telegram.start(), discord.start(), whatsapp.start()]));
afterAll(() => Promise.all([telegram.stop(), discord.stop(), whatsapp.shutDown()]));

const options = (): PlatformOptions => ({
  telegram: { token: telegram.token, apiRoot: telegram.url },
  discord: { token: discord.token, apiUrl: discord.url },
  whatsapp: { account: whatsapp.account, apiUrl: whatsapp.apiUrl },
});

/** The lines as a person reads them. */
async function diagnose(platform: Platform, changes: Partial<PlatformOptions> = {}): Promise<string[]> {
  const found = await DIAGNOSES[platform]({ ...options(), ...changes }, AbortSignal.timeout(20_000));
  return found.map(({ name, message }) => `${name}: ${message}`);
}

describe("the doctor's check of Telegram", () => {
  it('names the bot, and how it receives updates', async () => {
    expect(await diagnose('telegram')).toEqual(['telegram: bot @gateway_bot, polling, 0 updates waiting']);
  });

  it('reports that no token is set', async () => {
    expect(await diagnose('telegram', { telegram: { apiRoot: telegram.url } })).toEqual([
      'telegram: not configured: TELEGRAM_BOT_TOKEN is not set',
    ]);
  });

  it('reports a token that Telegram rejects, without showing it', async () => {
    const lines = await diagnose('telegram', { telegram: { token: '4242:wrong', apiRoot: telegram.url } });
    expect(lines).toEqual(['telegram.token-refused: Telegram refuses the bot token']);
  });

  it('reports a Bot API that does not respond', async () => {
    const lines = await diagnose('telegram', { telegram: { token: telegram.token, apiRoot: 'http://127.0.0.1:9' } });
    expect(lines).toEqual([
      'telegram.unreachable: Telegram cannot be reached: cannot connect to 127.0.0.1:9: ECONNREFUSED.',
    ]);
  });

  it('reports an error response of Telegram', async () => {
    telegram.fail({ method: 'getMe', status: 500 });
    expect(await diagnose('telegram')).toEqual(['telegram.unreachable: Telegram answered 500 Internal Server Error.']);
  });

  it('accepts a server that does not support getWebhookInfo', async () => {
    telegram.fail({ method: 'getWebhookInfo', status: 404 });
    expect(await diagnose('telegram')).toEqual(['telegram: bot @gateway_bot, polling, 0 updates waiting']);
  });

  it('reports how many updates wait', async () => {
    for (let each = 0; each < 101; each += 1) telegram.receiveText({ chatId: 7, text: 'Hello' });
    expect(await diagnose('telegram')).toEqual(['telegram: bot @gateway_bot, polling, 101 updates waiting']);
  });

  describe('about the webhook', () => {
    const receiver = new ReceiverFake();
    const webhookOf = (webhookUrl: string) => ({ telegram: { ...options().telegram, webhookUrl } });
    const setWebhook = (url: string) =>
      fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url, drop_pending_updates: true }),
      });

    beforeAll(() => receiver.start());
    afterAll(() => receiver.stop());
    afterEach(() => setWebhook(''));

    it('reports a webhook of another program while polling', async () => {
      await setWebhook('https://other.example/hook?secret=hush');
      expect(await diagnose('telegram')).toEqual(['telegram.webhook: The webhook of this bot is at other.example']);
    });

    it('reports that Telegram cannot deliver to it', async () => {
      receiver.react(500, '/callbacks/telegram');
      const url = receiver.url('/callbacks/telegram');
      await setWebhook(url);
      telegram.receiveText({ chatId: 7, text: 'Hello' });
      await receiver.received(2, '/callbacks/telegram');
      expect(await diagnose('telegram', webhookOf(url))).toEqual([
        expect.stringMatching(/^telegram\.webhook: Telegram says: .*500.*; 1 updates wait$/),
      ]);
    });
  });
});

describe("the doctor's check of Discord", () => {
  it('reports that the bot may read messages', async () => {
    expect(await diagnose('discord')).toEqual([
      'discord: Discord knows the bot, it may read messages, 1000 logins left',
    ]);
  });

  it('reports that no token is set', async () => {
    const unset = { discord: { apiUrl: discord.url } };
    expect(await diagnose('discord', unset)).toEqual(['discord: not configured: DISCORD_BOT_TOKEN is not set']);
  });

  it('reports a token that Discord rejects', async () => {
    const wrong = { discord: { ...options().discord, token: 'wrong' } };
    expect(await diagnose('discord', wrong)).toEqual(['discord.token-refused: Discord refuses the bot token']);
  });

  it('reports an API that does not respond', async () => {
    const away = { discord: { ...options().discord, apiUrl: 'http://127.0.0.1:9' } };
    expect(await diagnose('discord', away)).toEqual([
      'discord.unreachable: Discord cannot be reached: cannot connect to 127.0.0.1:9: ECONNREFUSED.',
    ]);
  });

  it('reports an error response of Discord', async () => {
    discord.fail({ method: 'bot', status: 500 });
    expect(await diagnose('discord')).toEqual([expect.stringMatching(/^discord\.unreachable: Discord answered 500/)]);
  });

  it('reports that the bot may not read messages', async () => {
    discord.applicationFlags = 1 << 23;
    expect(await diagnose('discord')).toEqual(['discord.intents: Message Content Intent is off']);
    discord.applicationFlags = 1 << 18;
    expect(await diagnose('discord')).toEqual([expect.stringMatching(/^discord: /)]);
  });

  it('accepts a server that does not describe the application', async () => {
    discord.fail({ method: '@me', status: 404 });
    expect(await diagnose('discord')).toEqual([
      'discord: Discord knows the bot, its intents are unknown, 1000 logins left',
    ]);
  });
});

describe("the doctor's check of WhatsApp", () => {
  const { setup } = whatsapp;
  const healthy = 'whatsapp: number +1 555-078-3881';

  it('names the phone number', async () => {
    expect(await diagnose('whatsapp')).toEqual([healthy]);
  });

  it('reports that no account is set', async () => {
    expect(await diagnose('whatsapp', { whatsapp: { apiUrl: whatsapp.apiUrl } })).toEqual([
      'whatsapp: not configured: WHATSAPP_ACCESS_TOKEN is not set',
    ]);
  });

  it.each([
    ['accessToken', 'EAAG-wrong', /^whatsapp\.token-refused: WhatsApp refuses the access token\./],
    ['phoneNumberId', '1', /^whatsapp\.number: WhatsApp does not know this phone number id/],
    ['appSecret', 'wrong', /^whatsapp\.app-secret: App 670843887433847 refuses WHATSAPP_APP_SECRET$/],
  ])('reports a wrong %s', async (name, value, line) => {
    const account = { ...whatsapp.account, [name]: value };
    expect(await diagnose('whatsapp', { whatsapp: { account, apiUrl: whatsapp.apiUrl } })).toEqual([
      expect.stringMatching(line),
    ]);
  });

  it('reports an API that does not respond', async () => {
    const away = { whatsapp: { account: whatsapp.account, apiUrl: 'http://127.0.0.1:9/v26.0' } };
    expect(await diagnose('whatsapp', away)).toEqual([
      'whatsapp.unreachable: WhatsApp cannot be reached: cannot connect to 127.0.0.1:9: ECONNREFUSED.',
    ]);
  });

  it('reports an error response of WhatsApp', async () => {
    whatsapp.fail({ method: 'phone', status: 500 });
    expect(await diagnose('whatsapp')).toEqual([
      expect.stringMatching(/^whatsapp\.unreachable: WhatsApp returned an error/),
    ]);
  });

  it('reports a token that expires soon and lacks a permission', async () => {
    setup.tokenExpiresAt = Math.floor(Date.now() / 1_000) + 3 * 86_400 + 60;
    setup.scopes = ['whatsapp_business_management'];
    expect(await diagnose('whatsapp')).toEqual([
      'whatsapp.token-expiring: The access token expires in 3 days',
      'whatsapp.token-refused: The access token has whatsapp_business_management',
    ]);
    setup.tokenExpiresAt = 0;
    setup.scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  });

  it.each([[undefined], [['account_update']]])('reports an app with the subscriptions %j', async (fields) => {
    setup.appFields = fields;
    expect(await diagnose('whatsapp')).toEqual([
      'whatsapp.not-subscribed: App 670843887433847 has no subscription to messages',
    ]);
    setup.appFields = ['messages'];
  });

  it('reports a business account that notifies another app', async () => {
    setup.accountApps = ['1'];
    expect(await diagnose('whatsapp')).toEqual([
      'whatsapp.not-subscribed: Business account 102290129340398 does not notify app 670843887433847',
    ]);
    setup.accountApps = [setup.appId];
  });

  it('accepts a server that only knows the number', async () => {
    setup.isTold = false;
    expect(await diagnose('whatsapp')).toEqual([healthy]);
    setup.isTold = true;
  });
});
