import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Test } from '@nestjs/testing';
import { ConfigModule } from './config.module';
import { Configuration, ConfigurationError } from './configuration';
import { CONFIGURATION_VARIABLES } from './configuration.schema';
import { loadConfiguration } from './load-configuration';

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfiguration(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe(loadConfiguration.name, () => {
  it('requires no variable', () => {
    expect(loadConfiguration({})).toMatchObject({
      http: { host: '127.0.0.1', port: 3000, tls: undefined, requireHttps: false, trustProxy: [], corsOrigins: [] },
      dataDir: resolve('data'),
      databaseUrl: undefined,
      telegram: { token: undefined, apiRoot: 'https://api.telegram.org', groupReplies: undefined },
      discord: { apiUrl: 'https://discord.com/api', groupReplies: 'mentions' },
      whatsapp: { account: undefined, apiUrl: 'https://graph.facebook.com/v26.0', messagesPerSecond: 80 },
      ai: {
        providers: { anthropic: { apiKey: undefined, baseUrl: undefined }, openai: { apiKey: undefined } },
        allowedCidrs: [],
        model: undefined,
      },
      webhooks: { retrySchedule: [60, 300, 1800, 7200, 43200], timeoutSeconds: 30, allowHttp: false, allowedCidrs: [] },
      backups: { schedule: undefined, directory: resolve('data/backups'), keep: 7 },
      log: { level: 'info' },
    });
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(CONFIGURATION_VARIABLES.map(({ name }) => [name, ' ']));
    expect(loadConfiguration(empty)).toEqual(loadConfiguration({}));
  });

  it('requires HTTPS by default in production only, unless the variable is set', () => {
    expect(loadConfiguration({ NODE_ENV: 'production' }).http.requireHttps).toBe(true);
    expect(loadConfiguration({ NODE_ENV: 'production', REQUIRE_HTTPS: '0' }).http.requireHttps).toBe(false);
    expect(loadConfiguration({ REQUIRE_HTTPS: 'true' }).http.requireHttps).toBe(true);
  });

  it('stores backups under the data directory by default', () => {
    expect(loadConfiguration({ DATA_DIR: '/srv/gateway' }).backups.directory).toBe('/srv/gateway/backups');
    expect(loadConfiguration({ DATA_DIR: '/srv/gateway', BACKUP_DIR: '/mnt/b' }).backups.directory).toBe('/mnt/b');
  });

  it('reports all invalid variables at once, one line each, in the order of the table', () => {
    const faults = faultsOf({ PORT: '70000', HOST: 'a b', LOG_LEVEL: 'loud', WEBHOOK_RETRY_SCHEDULE: '60,-1' });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['HOST', 'PORT', 'WEBHOOK_RETRY_SCHEDULE', 'LOG_LEVEL']);
    expect(faults[1]).toBe('PORT: "70000" is not valid; accepted: a whole number from 0 to 65535');
    expect(faults.join('')).not.toContain('\n');
  });

  it.each([
    ['BOOTSTRAP_API_KEY', 'service_sk_prod_hunter2'],
    ['TELEGRAM_BOT_TOKEN', 'hunter2 with spaces'],
    ['DATABASE_URL', 'mysql://root:hunter2@db/x'],
    ['REDIS_URL', 'http://:hunter2@cache'],
    ['SMTP_URL', 'mail.example.com/hunter2'],
    ['METRICS_TOKEN', 'hunter2 ü'],
  ])('never shows the rejected value of %s', (name, value) => {
    const [fault] = faultsOf({ [name]: value });
    expect(fault).toMatch(new RegExp(`^${name}: .*not shown.*accepted: `));
    expect(fault).not.toContain('hunter2');
  });

  it.each([
    ['HOST', ['0.0.0.0', '::', 'gateway.internal', 'localhost'], ['-x', 'a/b', 'http://x']],
    ['PORT', ['0', '443', '65535'], ['-1', '65536', '80.5', '0x50', 'http']],
    ['TRUST_PROXY', ['10.0.0.0/8', '127.0.0.1, fd00::/8'], ['10.0.0.0/33', '127.1/8', 'proxy', '10.0.0.0/8,']],
    [
      'CORS_ORIGINS',
      ['https://a.example,http://localhost:5173', '*'],
      ['a.example', 'https://a.example/app', 'ftp://a'],
    ],
    ['REQUIRE_HTTPS', ['true', 'false', '1', '0', 'TRUE'], ['yes', 'on', '2']],
    ['DATABASE_URL', ['postgres://u:p@h:5432/d', 'postgresql://h/d?sslmode=require'], ['h:5432', 'mysql://h/d']],
    ['REDIS_URL', ['redis://h', 'rediss://:p@h:6380/1'], ['h:6379', 'postgres://h']],
    ['SMTP_URL', ['smtp://h:25', 'smtps://u:p@h'], ['h:25', 'http://h']],
    ['BOOTSTRAP_API_KEY', [`service_sk_live_${'a1'.repeat(16)}`], [`service_sk_live_${'a'.repeat(31)}`, 'sk_live_1']],
    ['API_KEY_PEPPER', ['x'.repeat(16), 'sixteen letters, ü'], ['x', 'x'.repeat(15)]],
    ['SECRETS_KEY', ['x'.repeat(16)], ['x', 'x'.repeat(15)]],
    ['TELEGRAM_API_ROOT', ['http://127.0.0.1:8081', 'https://api.telegram.org/'], ['api.telegram.org']],
    ['TELEGRAM_GROUP_REPLIES', ['mentions', 'all', 'none'], ['some']],
    ['WHATSAPP_GROUP_REPLIES', ['mentions', 'all', 'none'], ['some']],
    ['DISCORD_GUILD_REPLIES', ['mentions', 'all', 'none'], ['some']],
    ['OWNER_EMAIL', ['owner@example.com'], ['owner', 'Owner <owner@example.com>']],
    ['MAIL_FROM', ['gateway@example.com', 'Gateway <gateway@example.com>'], ['Gateway', 'a@b\r\nBcc: c@d']],
    [
      'WEBHOOK_RETRY_SCHEDULE',
      ['1,2,3,4,5', '0.2,1.5,0,0,0'],
      ['1,2,3,4', '1,2,3,4,5,6', '1', '1,,2,3,4,5', '.5,1,1,1,1', '-1,1,1,1,1', '2592001,1,1,1,1', 'soon', '1,2,3,4,'],
    ],
    ['WEBHOOK_TIMEOUT_SECONDS', ['1', '0.5', '30'], ['0', '-1', 'x', '601']],
    ['WEBHOOK_ALLOWED_CIDRS', ['127.0.0.0/8', '::1/128'], ['127.0.0.0/99']],
    ['WEBHOOK_EGRESS_ADDRESSES', ['203.0.113.7,198.51.100.9'], ['203.0.113.0/24', 'eth0']],
    [
      'BACKUP_SCHEDULE',
      ['0 3 * * *', '*/15 0-6 1,15 * mon-fri', '30 0 3 * * sun'],
      ['daily', '60 * * * *', '* * * *', '5-1 * * * *'],
    ],
    ['BACKUP_KEEP', ['1', '30'], ['0', 'all']],
    [
      'BACKUP_S3_URL',
      ['https://key:secret@s3.example.com/bucket', 'http://k:s@127.0.0.1:9000/b/prefix?region=eu-central-1'],
      ['https://s3.example.com/bucket', 'https://key:secret@s3.example.com/', 's3://bucket'],
    ],
    ['MEDIA_S3_URL', ['https://key:secret@s3.example.com/bucket'], ['https://s3.example.com/bucket']],
    ['DATABASE_DIRECT_URL', ['postgres://user@host/db'], ['mysql://host/db']],
    ['DATABASE_PREPARED', ['true', 'false', '0'], ['never']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['http://otel:4318'], ['otel:4318']],
    ['OTEL_EXPORTER_OTLP_HEADERS', ['a=b', 'authorization=Basic%20x, b=c=d'], ['a', 'a=b c', 'a=%2']],
    ['OTEL_TRACES_SAMPLER', ['traceidratio'], ['never']],
    ['OTEL_TRACES_SAMPLER_ARG', ['0', '0.25', '1'], ['1.1', '-1']],
    ['LOG_LEVEL', ['trace', 'silent'], ['verbose', 'INFO']],
  ])('%s: accepts valid values and rejects others', (name, accepted, refused) => {
    expect(accepted.filter((value) => faultsOf({ [name]: value }).length > 0)).toEqual([]);
    expect(refused.filter((value) => faultsOf({ [name]: value }).length !== 1)).toEqual([]);
  });

  it('turns a single address into a range, and removes the trailing slash of a URL', () => {
    expect(loadConfiguration({ TRUST_PROXY: '10.1.2.3,::1' }).http.trustProxy).toEqual(['10.1.2.3/32', '::1/128']);
    expect(loadConfiguration({ TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/' }).telegram.apiRoot).toBe(
      'http://127.0.0.1:8081',
    );
  });

  it('names a malformed WORKERS or REDIS_URL once, and a REDIS_URL that is missing for WORKERS', () => {
    expect(faultsOf({ WORKERS: '0' })).toEqual([expect.stringMatching(/^WORKERS: "0" is not valid/)]);
    expect(faultsOf({ WORKERS: '2', REDIS_URL: 'localhost' })).toEqual([expect.stringMatching(/^REDIS_URL: .* valid/)]);
    expect(faultsOf({ WORKERS: '2' })).toEqual([expect.stringMatching(/^WORKERS=2 needs REDIS_URL, which is not set/)]);
  });

  it('requires all variables of the WhatsApp account or none', () => {
    const account = {
      WHATSAPP_ACCESS_TOKEN: 'EAAG',
      WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
      WHATSAPP_APP_SECRET: 'app',
      WHATSAPP_VERIFY_TOKEN: 'verify',
    };
    expect(loadConfiguration(account).whatsapp.account).toEqual({
      accessToken: 'EAAG',
      phoneNumberId: '106540352242922',
      appSecret: 'app',
      verifyToken: 'verify',
    });
    expect(faultsOf({ ...account, WHATSAPP_APP_SECRET: '', WHATSAPP_VERIFY_TOKEN: undefined })).toEqual([
      expect.stringMatching(
        /^WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN: not set; accepted: all of .* or none of them$/,
      ),
    ]);
  });

  it('accepts webhook mode of Telegram only with https and a secret', () => {
    const url = 'https://gateway.example.com/callbacks/telegram';
    expect(faultsOf({ TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: 'a_B-9' })).toEqual([]);
    expect(faultsOf({ TELEGRAM_WEBHOOK_URL: url })).toEqual([
      expect.stringMatching(/^TELEGRAM_WEBHOOK_SECRET: not set/),
    ]);
    expect(faultsOf({ TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: 'a b' })).toHaveLength(1);
    expect(faultsOf({ TELEGRAM_WEBHOOK_URL: url.replace('https', 'http'), TELEGRAM_WEBHOOK_SECRET: 'a' })).toHaveLength(
      1,
    );
  });

  it('freezes the configuration deeply', () => {
    const configuration = loadConfiguration({});
    expect(() => Object.assign(configuration.http, { port: 1 })).toThrow(TypeError);
    expect(() => (configuration.webhooks.retrySchedule as number[]).push(1)).toThrow(TypeError);
  });

  describe('with TLS files', () => {
    let directory: string;
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'configuration-'));
    });
    afterEach(() => rmSync(directory, { recursive: true }));

    it('requires certificate and key together', () => {
      expect(faultsOf({ TLS_CERT_FILE: join(directory, 'a.pem') })).toEqual([
        expect.stringMatching(/^TLS_KEY_FILE: not set/),
      ]);
    });

    it('names each file that cannot be read', () => {
      const faults = faultsOf({ TLS_CERT_FILE: join(directory, 'cert.pem'), TLS_KEY_FILE: join(directory, 'key.pem') });
      expect(faults).toEqual([
        expect.stringMatching(/^TLS_CERT_FILE: ".*cert\.pem" cannot be read \(ENOENT\)/),
        expect.stringMatching(/^TLS_KEY_FILE: ".*key\.pem" cannot be read \(ENOENT\)/),
      ]);
    });

    it('rejects files that contain no certificate', () => {
      const file = join(directory, 'x.pem');
      writeFileSync(file, 'not a certificate');
      expect(faultsOf({ TLS_CERT_FILE: file, TLS_KEY_FILE: file })).toEqual([
        expect.stringMatching(/^TLS_CERT_FILE, TLS_KEY_FILE: .*accepted: a PEM certificate/),
      ]);
    });
  });
});

describe(ConfigModule.name, () => {
  it('provides the configuration to every module', async () => {
    const configuration = loadConfiguration({ PORT: '8080' });
    const testing = await Test.createTestingModule({ imports: [ConfigModule.forRoot(configuration)] }).compile();
    expect(testing.get(Configuration).http.port).toBe(8080);
    expect(testing.get(Configuration)).toBeInstanceOf(Configuration);
    await testing.close();
  });
});
