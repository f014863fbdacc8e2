import { finishSchema } from '../../src/core/database/data-source';
import type { IntegrationDto } from '../../src/integrations/dto/integration.dto';
import type { Platform } from '#contracts';
import { DiscordFake } from '../fakes/discord.fake';
import type { HttpFake } from '../fakes/http-fake';
import { RouterFake } from '../fakes/router.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';

const QUIET = { info: () => undefined, warn: () => undefined };

/** One bot or number of a platform, as a person and the platform see it. */
export interface FakeAccount {
  platform: Platform;
  name: 'default' | 'Second';
  fake: HttpFake;
  write: (person: number, text: string) => void;
  sent: () => readonly { text: string }[];
}

/** Two accounts of each platform, each with a fake of its own behind the one address of its platform. */
export class TwoAccounts {
  private readonly telegram = [new TelegramFake(), new TelegramFake({ token: '5353:second' })] as const;
  private readonly discord = [
    new DiscordFake(),
    new DiscordFake({ token: 'NTI1Mg.fake.second-token', botId: '5252' }),
  ] as const;
  private readonly whatsapp = [
    new WhatsAppFake(),
    new WhatsAppFake({
      accessToken: 'EAAG-second-token',
      phoneNumberId: '206540352242922',
      appSecret: 'second-app-secret',
      verifyToken: 'second-verify-token',
    }),
  ] as const;
  private readonly routers = {
    telegram: routerOf(this.telegram, ({ url }) => url!.includes(this.telegram[1].token)),
    discord: routerOf(this.discord, ({ headers }) => headers.authorization === `Bot ${this.discord[1].token}`),
    whatsapp: routerOf(
      this.whatsapp,
      ({ headers }) => headers.authorization === `Bearer ${this.whatsapp[1].account.accessToken}`,
    ),
  };

  readonly all: readonly FakeAccount[] = (['default', 'Second'] as const).flatMap((name, index) => {
    const [telegram, discord, whatsapp] = [this.telegram[index]!, this.discord[index]!, this.whatsapp[index]!];
    return [
      {
        platform: 'telegram',
        name,
        fake: telegram,
        write: (person, text) => void telegram.receiveText({ chatId: person, text }),
        sent: () => telegram.sent,
      },
      {
        platform: 'discord',
        name,
        fake: discord,
        write: (person, text) => void discord.receiveText({ userId: String(person), text }),
        sent: () => discord.sent,
      },
      {
        platform: 'whatsapp',
        name,
        fake: whatsapp,
        write: (person, text) => void whatsapp.receiveText({ from: String(person), text }),
        sent: () => whatsapp.sent,
      },
    ] satisfies FakeAccount[];
  });

  async start(): Promise<NodeJS.ProcessEnv> {
    await Promise.all([...this.all.map(({ fake }) => fake.start()), ...this.routed().map((router) => router.start())]);
    return {
      SECRETS_KEY: 'a secrets key of both instances',
      TELEGRAM_BOT_TOKEN: this.telegram[0].token,
      TELEGRAM_API_ROOT: this.routers.telegram.url,
      DISCORD_BOT_TOKEN: this.discord[0].token,
      DISCORD_API_URL: this.routers.discord.url,
      ...this.whatsapp[0].env,
      WHATSAPP_API_URL: `${this.routers.whatsapp.url}/v26.0`,
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(({ fake }) => fake.shutDown()));
    await Promise.all(this.routed().map((router) => router.stop()));
  }

  /** Adds the second account of each platform. */
  async add(instance: GatewayProcess, databaseUrl: string): Promise<void> {
    await finishSchema(databaseUrl, QUIET);
    const { accessToken, phoneNumberId, appSecret, verifyToken } = this.whatsapp[1].account;
    const credentials = {
      telegram: { bot_token: this.telegram[1].token },
      discord: { bot_token: this.discord[1].token },
      whatsapp: {
        access_token: accessToken,
        phone_number_id: phoneNumberId,
        app_secret: appSecret,
        verify_token: verifyToken,
      },
    };
    for (const [platform, given] of Object.entries(credentials)) {
      const { status, body } = await instance.api('POST', '/integrations', {
        platform,
        name: 'Second',
        credentials: given,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
    }
  }

  /** Callbacks of WhatsApp go to this instance. */
  subscribe({ url }: GatewayProcess): void {
    for (const fake of this.whatsapp) fake.subscribe(`${url}/callbacks/whatsapp`);
  }

  async connected(instance: GatewayProcess): Promise<void> {
    await eventually(
      'all six accounts are connected',
      async () => {
        const { body } = await instance.api<IntegrationDto[]>('GET', '/integrations');
        expect(body.data.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'connected'));
      },
      { timeoutMs: 60_000 },
    );
  }

  private routed(): RouterFake[] {
    return Object.values(this.routers);
  }
}

function routerOf(
  [first, second]: readonly [HttpFake, HttpFake],
  isSecond: (request: { url?: string | undefined; headers: { authorization?: string | undefined } }) => boolean,
): RouterFake {
  return new RouterFake((request) => (isSecond(request) ? second.url : first.url));
}
