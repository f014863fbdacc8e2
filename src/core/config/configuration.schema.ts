import { join } from 'node:path';
import { cron } from './cron.parser';
import {
  anyText,
  apiKey,
  boolean,
  cidr,
  credential,
  decimal,
  emailAddress,
  host,
  integer,
  ipAddress,
  list,
  mailbox,
  modelName,
  oneOf,
  origin,
  path,
  pathSegment,
  telegramToken,
  telegramWebhookSecret,
  url,
} from './parsers';
import { optional, secret, together, variablesOf, withDefault } from './variable';

const MONTH_SECONDS = 30 * 24 * 3600;

/** Every setting of the process, one row each: name, default, accepted values, meaning. Types and documentation derive from it. */
export const SCHEMA = {
  http: {
    host: withDefault('HOST', '127.0.0.1', host, 'Address to listen on'),
    port: withDefault('PORT', '3000', integer(0, 65_535), 'Port to listen on; 0: a free one'),
    tls: together({
      certFile: optional('TLS_CERT_FILE', path, 'Certificate chain (PEM): native HTTPS'),
      keyFile: optional('TLS_KEY_FILE', path, 'Private key (PEM) of the certificate'),
    }),
    requireHttps: withDefault(
      'REQUIRE_HTTPS',
      (env) => String(env['NODE_ENV'] === 'production'),
      boolean,
      'Refuse API requests over plain HTTP; /health is never refused',
      'true when NODE_ENV=production, else false',
    ),
    trustProxy: withDefault('TRUST_PROXY', '', list(cidr), 'Ranges of the proxies whose X-Forwarded-* headers count'),
    corsOrigins: withDefault('CORS_ORIGINS', '', list(origin), 'Browser origins that may call the API'),
  },
  dataDir: withDefault('DATA_DIR', './data', path, 'Embedded database, generated secrets, backups'),
  databaseUrl: secret(
    'DATABASE_URL',
    url('postgres', 'postgresql'),
    'PostgreSQL 15 or newer; unset: an embedded one runs under DATA_DIR',
  ),
  redisUrl: secret('REDIS_URL', url('redis', 'rediss'), 'Redis; unset: queues on PostgreSQL, limits in process'),
  keys: {
    bootstrapKey: secret('BOOTSTRAP_API_KEY', apiKey, 'An API key with scope * that exists after the start'),
    pepper: secret(
      'API_KEY_PEPPER',
      anyText,
      'Keys the HMAC under which API keys are stored',
      'made once under DATA_DIR',
    ),
    secretsKey: secret('SECRETS_KEY', anyText, 'Encrypts webhook secrets at rest', 'derived from API_KEY_PEPPER'),
  },
  telegram: {
    token: secret('TELEGRAM_BOT_TOKEN', telegramToken, 'Bot token; unset: Telegram is not configured'),
    apiRoot: withDefault('TELEGRAM_API_ROOT', 'https://api.telegram.org', url('https', 'http'), 'Bot API server'),
    webhookUrl: optional('TELEGRAM_WEBHOOK_URL', url('https'), 'Public address for webhook mode; unset: long polling'),
    webhookSecret: secret(
      'TELEGRAM_WEBHOOK_SECRET',
      telegramWebhookSecret,
      'Proves that an update comes from Telegram',
    ),
  },
  discord: {
    token: secret('DISCORD_BOT_TOKEN', credential, 'Bot token; unset: Discord is not configured'),
    apiUrl: withDefault(
      'DISCORD_API_URL',
      'https://discord.com/api',
      url('https', 'http'),
      'REST root, without the version',
    ),
    guildReplies: withDefault(
      'DISCORD_GUILD_REPLIES',
      'mentions',
      oneOf('mentions', 'all', 'none'),
      'Which messages of guild channels the assistant answers',
    ),
  },
  whatsapp: {
    account: together({
      accessToken: secret(
        'WHATSAPP_ACCESS_TOKEN',
        credential,
        'System user access token; unset: WhatsApp is not configured',
      ),
      phoneNumberId: optional('WHATSAPP_PHONE_NUMBER_ID', pathSegment, 'Id of the business phone number'),
      appSecret: secret('WHATSAPP_APP_SECRET', credential, 'Verifies the signature of callbacks'),
      verifyToken: secret('WHATSAPP_VERIFY_TOKEN', anyText, 'Answers the handshake at /callbacks/whatsapp'),
    }),
    apiUrl: withDefault(
      'WHATSAPP_API_URL',
      'https://graph.facebook.com/v23.0',
      url('https', 'http'),
      'Graph API, with version',
    ),
  },
  ai: {
    apiKey: secret('ANTHROPIC_API_KEY', credential, 'Unset: the AI is unavailable'),
    baseUrl: optional('ANTHROPIC_BASE_URL', url('https', 'http'), 'Messages API server', "the SDK's"),
    model: withDefault('AI_MODEL', 'claude-sonnet-5-5', modelName, 'Model until the settings name another'),
  },
  mail: {
    smtpUrl: secret('SMTP_URL', url('smtp', 'smtps'), 'Mail server; unset: mail is logged and kept'),
    from: optional('MAIL_FROM', mailbox, 'Sender of mail'),
    ownerEmail: optional('OWNER_EMAIL', emailAddress, 'Receiver of notifications until the settings name another'),
  },
  webhooks: {
    /** Seconds before the 1st, 2nd, … retry. */
    retrySchedule: withDefault(
      'WEBHOOK_RETRY_SCHEDULE',
      '60,300,1800,7200,43200',
      list(decimal(0, MONTH_SECONDS), 1, 20),
      'Seconds before the 1st, 2nd, … retry',
    ),
    /** Timeout of the whole exchange, in seconds. */
    timeoutSeconds: withDefault('WEBHOOK_TIMEOUT_SECONDS', '30', decimal(0.1, 600), 'Seconds for the whole exchange'),
    allowHttp: withDefault('WEBHOOK_ALLOW_HTTP', 'false', boolean, 'Permit http: receivers (development)'),
    allowedCidrs: withDefault(
      'WEBHOOK_ALLOWED_CIDRS',
      '',
      list(cidr),
      'Private ranges that receivers may resolve to (development)',
    ),
    egressAddresses: withDefault(
      'WEBHOOK_EGRESS_ADDRESSES',
      '',
      list(ipAddress),
      'Local source addresses of deliveries',
    ),
  },
  backups: {
    schedule: optional('BACKUP_SCHEDULE', cron, 'Cron schedule of backups'),
    directory: withDefault(
      'BACKUP_DIR',
      (env) => join(env['DATA_DIR']?.trim() || './data', 'backups'),
      path,
      'Where backups are kept',
      'DATA_DIR/backups',
    ),
    keep: withDefault('BACKUP_KEEP', '7', integer(1, 10_000), 'How many backups are kept'),
  },
  metricsToken: secret('METRICS_TOKEN', credential, 'Bearer token for /metrics; unset: loopback only'),
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', url('https', 'http'), 'Receiver of traces'),
  log: {
    level: withDefault(
      'LOG_LEVEL',
      'info',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'Least level that is logged',
    ),
  },
} as const;

/** Validated already, without effect in this version. */
export const WITHOUT_EFFECT: readonly string[] = [
  'BACKUP_SCHEDULE',
  'BACKUP_DIR',
  'BACKUP_KEEP',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];

/** The table of settings as documentation prints it. */
export const CONFIGURATION_VARIABLES: readonly { name: string; default: string; meaning: string }[] = variablesOf(
  SCHEMA,
).map(({ name, defaultText, meaning }) => ({ name, default: defaultText, meaning }));
