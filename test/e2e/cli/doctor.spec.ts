import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import type { DoctorFinding } from '#contracts';
import { doctor } from '../../../src/operations/cli/commands/doctor.command';
import { Output } from '../../../src/operations/cli/output';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { DiscordFake } from '../../fakes/discord.fake';
import { RedisFake } from '../../fakes/redis.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { testEnvironment } from '../../support/environment';
import { startTestGateway } from '../../support/gateway';

const telegram = new TelegramFake();
const discord = new DiscordFake();
const whatsapp = new WhatsAppFake();
const anthropic = new AnthropicFake();
const smtp = new SmtpFake();
const redis = new RedisFake();
const receiver = new ReceiverFake();
const fakes = [telegram, discord, whatsapp, anthropic, smtp, redis, receiver];

describe('gateway doctor', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'doctor-e2e-'));
    anthropic.models = ['claude-sonnet-5-5'];
    await Promise.all(fakes.map((fake) => fake.start()));
  });
  afterAll(async () => {
    await Promise.all(fakes.map((fake) => fake.stop()));
    Logger.overrideLogger(true);
    rmSync(dataDir, { recursive: true });
  });

  async function run(env: NodeJS.ProcessEnv, isJson: boolean): Promise<{ code: number; printed: string }> {
    const stdout = new PassThrough();
    // Port 9: no test listens there.
    const code = await doctor({ DATA_DIR: dataDir, PORT: '9', ...env }, new Output(isJson, stdout));
    stdout.end();
    return { code, printed: await text(stdout) };
  }

  it('reports nothing on a healthy system next to a running gateway, and sends nothing', async () => {
    const gateway = await startTestGateway({ env: LOCAL_RECEIVERS });
    await gateway.api('POST', '/webhooks', { url: receiver.url(), events: ['*'] });
    const env = {
      ...testEnvironment({ telegram, anthropic }),
      ...whatsapp.env,
      ...LOCAL_RECEIVERS,
      DATABASE_URL: gateway.databaseUrl,
      PORT: new URL(gateway.url).port,
      REDIS_URL: redis.url,
      DISCORD_BOT_TOKEN: discord.token,
      DISCORD_API_URL: discord.url,
      SMTP_URL: smtp.url,
      OWNER_EMAIL: 'owner@example.com',
    };
    const { code, printed } = await run(env, true);
    const { checks } = JSON.parse(printed) as { checks: DoctorFinding[] };
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual([
      'configuration',
      'database',
      'database',
      'secrets',
      'redis',
      'whatsapp',
      'telegram',
      'discord',
      'ai',
      'mail',
      'receivers',
      'references',
      'restore',
      'backups',
      'media',
      'disk',
      'files',
      'tls',
      'port',
      'proxy',
    ]);
    expect(code).toBe(0);
    expect([...smtp.mails, ...telegram.sent, ...receiver.posts, ...anthropic.requestsOf('messages')]).toEqual([]);
  });

  it('reports a DATA_DIR without a database, and creates nothing', async () => {
    const unmade = join(dataDir, 'unmade');
    const { code, printed } = await run({ DATA_DIR: unmade }, false);
    expect(printed).toContain(
      `database.not-made  DATABASE_URL is not set, and DATA_DIR is ${unmade}: it has no database`,
    );
    expect(printed.match(/^(warning|fault) /gm)).toEqual(['fault ']);
    expect(code).toBe(3);
    expect(() => rmSync(unmade)).toThrow(/ENOENT/);
  });

  it('reports a missing database and a wrong configuration, without a secret', async () => {
    const env = {
      PORT: '70000',
      SMTP_URL: 'mail.example.com',
      DATABASE_URL: 'postgres://gateway:hunter2hunter2@127.0.0.1:9/gateway',
      TELEGRAM_BOT_TOKEN: '4242:hunter2hunter2',
      TELEGRAM_API_ROOT: telegram.url,
    };
    const { code, printed } = await run(env, false);
    expect(code).toBe(3);
    expect(printed).not.toContain('hunter2');
    expect(printed.split('\n').filter((line) => !line.startsWith('ok'))).toEqual([
      expect.stringMatching(/^fault {4}configuration\.invalid {3}PORT: "70000" is not valid; .* → Set the variable/),
      expect.stringMatching(/^fault {4}configuration\.invalid {3}SMTP_URL: the value given \(a secret, not shown\)/),
      expect.stringMatching(/^fault {4}database\.unreachable .*ECONNREFUSED 127\.0\.0\.1:9 → Start the server/),
      expect.stringMatching(
        /^warning {2}doctor\.not-checked +database: the pooler was not checked, because the database/,
      ),
      expect.stringMatching(/^warning {2}doctor\.not-checked +secrets: not checked, because the database/),
      expect.stringMatching(/^fault {4}telegram\.token-refused {2}Telegram refuses the bot token → Set TELEGRAM_BOT/),
      expect.stringMatching(/^warning {2}doctor\.not-checked +mail: not checked, because SMTP_URL is not valid/),
      expect.stringMatching(/^warning {2}doctor\.not-checked +receivers: /),
      expect.stringMatching(/^warning {2}doctor\.not-checked +references: /),
      expect.stringMatching(/^warning {2}doctor\.not-checked +restore: /),
      expect.stringMatching(/^warning {2}doctor\.not-checked +backups: /),
      expect.stringMatching(/^warning {2}doctor\.not-checked +media: /),
      expect.stringMatching(/^warning {2}doctor\.not-checked +port: not checked, because PORT is not valid/),
      '',
      '4 faults, 9 warnings. docs/doctor.md explains each.',
      '',
    ]);
  });
});
