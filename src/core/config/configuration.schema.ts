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
  objectStorage,
  oneOf,
  origin,
  otlpHeader,
  path,
  pathSegment,
  secretKey,
  telegramToken,
  telegramWebhookSecret,
  url,
  workers,
} from './parsers';
import { optional, secret, together, variablesOf, withDefault } from './variable';

const MONTH_SECONDS = 30 * 24 * 3600;
/** How many times a failed delivery is retried. */
const RETRIES = 5;

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
    shutdownDelaySeconds: withDefault(
      'SHUTDOWN_DELAY_SECONDS',
      (env) => (env['NODE_ENV'] === 'production' ? '5' : '0'),
      decimal(0, 600),
      'Seconds after SIGTERM for which requests are still taken and served before the listener closes',
      '5 when NODE_ENV=production, else 0',
    ),
    maxConnections: withDefault(
      'MAX_CONNECTIONS',
      '10000',
      integer(32, 1_000_000),
      'Open sockets; the last 16 serve only /health',
    ),
    maxConnectionsPerAddress: withDefault(
      'MAX_CONNECTIONS_PER_ADDRESS',
      '500',
      integer(1, 1_000_000),
      'Open sockets of one address (IPv6: /64); behind TRUST_PROXY, its open requests',
    ),
    corsOrigins: withDefault('CORS_ORIGINS', '', list(origin), 'Browser origins that may call the API'),
    publicUrl: optional(
      'PUBLIC_URL',
      url('http', 'https'),
      'Address of the gateway for people: base of links in mails and of callback addresses',
    ),
    dashboard: withDefault('DASHBOARD', 'true', boolean, 'Serve the dashboard at /dashboard, and redirect / there'),
  },
  workers: withDefault(
    'WORKERS',
    '1',
    workers,
    'Processes that serve requests; more than one need REDIS_URL. auto: one for each core, or one without REDIS_URL',
  ),
  dataDir: withDefault('DATA_DIR', './data', path, 'Embedded database, generated secrets, backups, media'),
  databaseUrl: secret(
    'DATABASE_URL',
    url('postgres', 'postgresql'),
    'PostgreSQL 15 or newer; unset: an embedded one runs under DATA_DIR',
  ),
  databaseDirectUrl: secret(
    'DATABASE_DIRECT_URL',
    url('postgres', 'postgresql'),
    'Where DATABASE_URL is a pooler in transaction mode: the server itself, for LISTEN, locks, migrations and backups',
    'DATABASE_URL',
  ),
  databasePrepared: withDefault(
    'DATABASE_PREPARED',
    'true',
    boolean,
    'Prepare statements under names; false for a pooler in transaction mode that does not know them (PgBouncer before 1.21)',
  ),
  redisUrl: secret('REDIS_URL', url('redis', 'rediss'), 'Redis; unset: queues on PostgreSQL, limits in process'),
  keys: {
    bootstrapKey: secret('BOOTSTRAP_API_KEY', apiKey, 'An API key with scope * that exists after the start'),
    pepper: secret(
      'API_KEY_PEPPER',
      secretKey,
      'Keys the HMAC under which API keys are stored; at least 16 characters',
      'made once under DATA_DIR',
    ),
    secretsKey: secret(
      'SECRETS_KEY',
      secretKey,
      'Encrypts webhook secrets at rest; at least 16 characters',
      'derived from API_KEY_PEPPER',
    ),
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
    businessAccountId: optional(
      'WHATSAPP_BUSINESS_ACCOUNT_ID',
      pathSegment,
      'Id of the WhatsApp business account, whose message templates are read; unset: no templates',
    ),
    apiUrl: withDefault(
      'WHATSAPP_API_URL',
      'https://graph.facebook.com/v26.0',
      url('https', 'http'),
      'Graph API, with version',
    ),
    messagesPerSecond: withDefault(
      'WHATSAPP_MESSAGES_PER_SECOND',
      '80',
      integer(1, 1_000),
      'Most messages of the number in a second, all processes of the deployment together; Meta upgrades some numbers to 1,000',
    ),
  },
  ai: {
    apiKey: secret('ANTHROPIC_API_KEY', credential, 'Unset: the AI is unavailable'),
    baseUrl: optional('ANTHROPIC_BASE_URL', url('https', 'http'), 'Messages API server', "the SDK's"),
    model: withDefault('AI_MODEL', 'claude-sonnet-5-5', modelName, 'Model until the settings name another'),
    concurrency: withDefault(
      'AI_CONCURRENCY',
      '32',
      integer(1, 1_000),
      'Answers being made at once, for each instance',
    ),
    filesBytes: withDefault(
      'AI_FILES_BYTES',
      '67108864',
      integer(33_554_432, 17_179_869_184),
      'Bytes of the files in all AI calls under way, as base64, for each instance; each worker has at least 33554432',
    ),
  },
  mail: {
    smtpUrl: secret('SMTP_URL', url('smtp', 'smtps'), 'Mail server; unset: mail is logged and kept'),
    from: optional('MAIL_FROM', mailbox, 'Sender of mail'),
    ownerEmail: optional('OWNER_EMAIL', emailAddress, 'Receiver of notifications until the settings name another'),
  },
  webhooks: {
    retrySchedule: withDefault(
      'WEBHOOK_RETRY_SCHEDULE',
      '60,300,1800,7200,43200',
      list(decimal(0, MONTH_SECONDS), RETRIES, RETRIES),
      'Seconds before the 1st … 5th retry: exactly five values',
    ),
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
    hostRate: withDefault(
      'WEBHOOK_HOST_RATE',
      '1000',
      integer(0, 1_000_000),
      'Posts a second to one receiver host, for each instance; 0: no limit',
    ),
  },
  backups: {
    schedule: optional('BACKUP_SCHEDULE', cron, 'Cron schedule of backups, in UTC; missed runs are not made up'),
    directory: withDefault(
      'BACKUP_DIR',
      (env) => join(env['DATA_DIR']?.trim() || './data', 'backups'),
      path,
      'Where backups are kept',
      'DATA_DIR/backups',
    ),
    keep: withDefault(
      'BACKUP_KEEP',
      '7',
      integer(1, 10_000),
      'How many completed backups of each trigger (schedule, API, command line) are kept',
    ),
    verifySchedule: optional(
      'BACKUP_VERIFY_SCHEDULE',
      cron,
      'Cron schedule, in UTC, at which the newest backup is read to its end and verified',
    ),
    s3Url: secret(
      'BACKUP_S3_URL',
      objectStorage,
      'Copies each backup to S3-compatible storage: https://KEY:SECRET@host/bucket/prefix?region=…',
    ),
    keyFile: optional('BACKUP_KEY_FILE', path, 'Encrypts backups with the key in this file: 64 hexadecimal digits'),
  },
  media: {
    directory: withDefault(
      'MEDIA_DIR',
      (env) => join(env['DATA_DIR']?.trim() || './data', 'media'),
      path,
      'Where the files of messages are kept; several instances share the folder, or use MEDIA_S3_URL',
      'DATA_DIR/media',
    ),
    s3Url: secret(
      'MEDIA_S3_URL',
      objectStorage,
      'Keeps the files of messages in S3-compatible storage: https://KEY:SECRET@host/bucket/prefix?region=…',
    ),
  },
  transcription: {
    url: optional(
      'TRANSCRIBE_URL',
      url('https', 'http'),
      'Writes down what is said in voice messages: the whole address of an endpoint like https://api.openai.com/v1/audio/transcriptions',
    ),
    apiKey: secret('TRANSCRIBE_API_KEY', credential, 'Bearer token for TRANSCRIBE_URL'),
    model: withDefault('TRANSCRIBE_MODEL', 'whisper-1', modelName, 'Model that TRANSCRIBE_URL is asked for'),
  },
  metricsToken: secret('METRICS_TOKEN', credential, 'Bearer token for /metrics; unset: loopback only'),
  tracing: {
    endpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      url('https', 'http'),
      'Receiver of traces by OTLP over HTTP, without /v1/traces; unset: no traces',
    ),
    headers: secret(
      'OTEL_EXPORTER_OTLP_HEADERS',
      list(otlpHeader),
      'Headers for the receiver of traces: name=value, separated by commas, values percent-encoded',
    ),
    serviceName: withDefault('OTEL_SERVICE_NAME', 'messaging-gateway', anyText, 'The service.name of traces'),
    sampler: withDefault(
      'OTEL_TRACES_SAMPLER',
      'parentbased_always_on',
      oneOf(
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ),
      'Which traces are recorded; parentbased: as the traceparent of a request says',
    ),
    samplerRatio: withDefault('OTEL_TRACES_SAMPLER_ARG', '1', decimal(0, 1), 'Part of the traces, for traceidratio'),
  },
  log: {
    level: withDefault(
      'LOG_LEVEL',
      'info',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'Least level that is logged',
    ),
  },
} as const;

/** The table of settings as documentation prints it. */
export const CONFIGURATION_VARIABLES: readonly { name: string; default: string; meaning: string }[] = variablesOf(
  SCHEMA,
).map(({ name, defaultText, meaning }) => ({ name, default: defaultText, meaning }));
