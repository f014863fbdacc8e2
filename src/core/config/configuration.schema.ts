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
/** A database of an earlier version keeps the behaviour of that version. */
const GROUP_REPLIES_DEFAULT = 'mentions, or all in a database of an earlier version';
/** How many times a failed delivery is retried. */
const RETRIES = 5;

/** Every setting of the process, one row each: name, default, accepted values, meaning. Types and documentation derive from it. */
export const SCHEMA = {
  http: {
    host: withDefault('HOST', '127.0.0.1', host, 'Address to listen on'),
    port: withDefault('PORT', '3000', integer(0, 65_535), 'Port to listen on; 0 for any free port'),
    tls: together({
      certFile: optional('TLS_CERT_FILE', path, 'Certificate chain (PEM) for native HTTPS'),
      keyFile: optional('TLS_KEY_FILE', path, 'Private key (PEM) of the certificate'),
    }),
    requireHttps: withDefault(
      'REQUIRE_HTTPS',
      (env) => String(env['NODE_ENV'] === 'production'),
      boolean,
      'Refuse API requests over plain HTTP; /health is never refused',
      'true when NODE_ENV=production, else false',
    ),
    trustProxy: withDefault(
      'TRUST_PROXY',
      '',
      list(cidr),
      'CIDR ranges of trusted proxies, whose X-Forwarded-* headers count',
    ),
    shutdownDelaySeconds: withDefault(
      'SHUTDOWN_DELAY_SECONDS',
      (env) => (env['NODE_ENV'] === 'production' ? '5' : '0'),
      decimal(0, 600),
      'Seconds after SIGTERM during which new requests are still accepted, before the listener closes',
      '5 when NODE_ENV=production, else 0',
    ),
    maxConnections: withDefault(
      'MAX_CONNECTIONS',
      '10000',
      integer(32, 1_000_000),
      'Maximum number of open sockets; the last 16 serve only /health',
    ),
    maxConnectionsPerAddress: withDefault(
      'MAX_CONNECTIONS_PER_ADDRESS',
      '500',
      integer(1, 1_000_000),
      'Maximum number of open sockets per client address (IPv6: /64); behind TRUST_PROXY, of open requests',
    ),
    corsOrigins: withDefault('CORS_ORIGINS', '', list(origin), 'Browser origins that may call the API'),
    publicUrl: optional(
      'PUBLIC_URL',
      url('http', 'https'),
      'Public URL of the gateway, used in links in mails and callback URLs',
    ),
    dashboard: withDefault('DASHBOARD', 'true', boolean, 'Serve the dashboard at /dashboard and redirect / to it'),
  },
  workers: withDefault(
    'WORKERS',
    '1',
    workers,
    'Number of processes that serve requests; more than one requires REDIS_URL. auto: one per core, or one without REDIS_URL',
  ),
  dataDir: withDefault(
    'DATA_DIR',
    './data',
    path,
    'Folder of the embedded database, generated secrets, backups and media',
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    url('postgres', 'postgresql'),
    'PostgreSQL 15 or newer; if unset, an embedded PostgreSQL runs under DATA_DIR',
  ),
  databaseDirectUrl: secret(
    'DATABASE_DIRECT_URL',
    url('postgres', 'postgresql'),
    'The PostgreSQL server itself, if DATABASE_URL is a pooler in transaction mode; used for LISTEN, locks, migrations and backups',
    'DATABASE_URL',
  ),
  databasePrepared: withDefault(
    'DATABASE_PREPARED',
    'true',
    boolean,
    'Use named prepared statements; set false for a pooler in transaction mode that does not support them (PgBouncer before 1.21)',
  ),
  redisUrl: secret(
    'REDIS_URL',
    url('redis', 'rediss'),
    'Redis; if unset, queues use PostgreSQL and limits are counted in the process',
  ),
  keys: {
    bootstrapKey: secret('BOOTSTRAP_API_KEY', apiKey, 'API key with scope * that the start creates if it is missing'),
    pepper: secret(
      'API_KEY_PEPPER',
      secretKey,
      'Secret for the HMACs of stored API keys; at least 16 characters',
      'generated once under DATA_DIR',
    ),
    secretsKey: secret(
      'SECRETS_KEY',
      secretKey,
      'Secret that encrypts webhook secrets and keys of AI providers at rest; at least 16 characters',
      'derived from API_KEY_PEPPER',
    ),
  },
  telegram: {
    token: secret('TELEGRAM_BOT_TOKEN', telegramToken, 'Bot token; if unset, Telegram is not configured'),
    apiRoot: withDefault(
      'TELEGRAM_API_ROOT',
      'https://api.telegram.org',
      url('https', 'http'),
      'URL of the Bot API server',
    ),
    webhookUrl: optional(
      'TELEGRAM_WEBHOOK_URL',
      url('https'),
      'Public URL for webhook mode; if unset, long polling is used',
    ),
    webhookSecret: secret(
      'TELEGRAM_WEBHOOK_SECRET',
      telegramWebhookSecret,
      'Secret by which Telegram authenticates its updates',
    ),
    groupReplies: optional(
      'TELEGRAM_GROUP_REPLIES',
      oneOf('mentions', 'all', 'none'),
      'Messages in groups that the assistant answers; a reply to a message of the bot is a mention',
      GROUP_REPLIES_DEFAULT,
    ),
  },
  discord: {
    token: secret('DISCORD_BOT_TOKEN', credential, 'Bot token; if unset, Discord is not configured'),
    apiUrl: withDefault(
      'DISCORD_API_URL',
      'https://discord.com/api',
      url('https', 'http'),
      'Base URL of the REST API, without the version',
    ),
    groupReplies: withDefault(
      'DISCORD_GUILD_REPLIES',
      'mentions',
      oneOf('mentions', 'all', 'none'),
      'Messages in guild channels that the assistant answers; a reply to a message of the bot is a mention',
    ),
  },
  whatsapp: {
    account: together({
      accessToken: secret(
        'WHATSAPP_ACCESS_TOKEN',
        credential,
        'System user access token; if unset, WhatsApp is not configured',
      ),
      phoneNumberId: optional('WHATSAPP_PHONE_NUMBER_ID', pathSegment, 'Id of the business phone number'),
      appSecret: secret('WHATSAPP_APP_SECRET', credential, 'App secret, which verifies the signature of callbacks'),
      verifyToken: secret('WHATSAPP_VERIFY_TOKEN', anyText, 'Verify token for the handshake at /callbacks/whatsapp'),
    }),
    groupReplies: optional(
      'WHATSAPP_GROUP_REPLIES',
      oneOf('mentions', 'all', 'none'),
      'Messages in groups that the assistant answers; a reply to a message of the business is a mention',
      GROUP_REPLIES_DEFAULT,
    ),
    businessAccountId: optional(
      'WHATSAPP_BUSINESS_ACCOUNT_ID',
      pathSegment,
      'Id of the WhatsApp business account, whose message templates are read; if unset, there are no templates',
    ),
    apiUrl: withDefault(
      'WHATSAPP_API_URL',
      'https://graph.facebook.com/v26.0',
      url('https', 'http'),
      'Base URL of the Graph API, with the version',
    ),
    messagesPerSecond: withDefault(
      'WHATSAPP_MESSAGES_PER_SECOND',
      '80',
      integer(1, 1_000),
      'Maximum messages per second of the phone number, across all processes of the deployment; Meta upgrades some numbers to 1,000',
    ),
  },
  ai: {
    providers: {
      anthropic: {
        apiKey: secret('ANTHROPIC_API_KEY', credential, 'API key of Anthropic'),
        baseUrl: optional(
          'ANTHROPIC_BASE_URL',
          url('https', 'http'),
          'Base URL of the Messages API',
          'that of the SDK',
        ),
      },
      openai: {
        apiKey: secret('OPENAI_API_KEY', credential, 'API key of OpenAI, or of a server that speaks Chat Completions'),
        baseUrl: optional(
          'OPENAI_BASE_URL',
          url('https', 'http'),
          'Base URL of Chat Completions, used as it is; a server with this URL needs no key',
          'that of the SDK',
        ),
      },
    },
    allowedCidrs: withDefault(
      'AI_ALLOWED_CIDRS',
      '',
      list(cidr),
      'Private CIDR ranges to which base URLs that the API sets may resolve, also with http:',
    ),
    model: optional(
      'AI_MODEL',
      modelName,
      'Model, unless the settings name another',
      'claude-sonnet-5-5; gpt-5-mini for the provider openai',
    ),
    concurrency: withDefault(
      'AI_CONCURRENCY',
      '32',
      integer(1, 1_000),
      'Maximum number of concurrent answers per instance',
    ),
    filesBytes: withDefault(
      'AI_FILES_BYTES',
      '67108864',
      integer(33_554_432, 17_179_869_184),
      'Maximum bytes of files (as base64) in all concurrent AI calls, per instance; each worker has at least 33554432',
    ),
  },
  mail: {
    smtpUrl: secret('SMTP_URL', url('smtp', 'smtps'), 'Mail server; if unset, mail is logged and kept'),
    from: optional('MAIL_FROM', mailbox, 'Sender address of mails'),
    ownerEmail: optional('OWNER_EMAIL', emailAddress, 'Recipient of notifications, unless the settings name another'),
  },
  webhooks: {
    retrySchedule: withDefault(
      'WEBHOOK_RETRY_SCHEDULE',
      '60,300,1800,7200,43200',
      list(decimal(0, MONTH_SECONDS), RETRIES, RETRIES),
      'Seconds before each of the five retries; exactly five values',
    ),
    timeoutSeconds: withDefault(
      'WEBHOOK_TIMEOUT_SECONDS',
      '30',
      decimal(0.1, 600),
      'Maximum duration of a delivery attempt, in seconds',
    ),
    allowHttp: withDefault('WEBHOOK_ALLOW_HTTP', 'false', boolean, 'Allow receivers with http: URLs (for development)'),
    allowedCidrs: withDefault(
      'WEBHOOK_ALLOWED_CIDRS',
      '',
      list(cidr),
      'Private CIDR ranges to which receivers may resolve (for development)',
    ),
    egressAddresses: withDefault(
      'WEBHOOK_EGRESS_ADDRESSES',
      '',
      list(ipAddress),
      'Local source addresses for deliveries',
    ),
    hostRate: withDefault(
      'WEBHOOK_HOST_RATE',
      '1000',
      integer(0, 1_000_000),
      'Maximum deliveries per second to one receiver host, per instance; 0 for no limit',
    ),
  },
  backups: {
    schedule: optional('BACKUP_SCHEDULE', cron, 'Cron schedule of backups, in UTC; missed runs are skipped'),
    directory: withDefault(
      'BACKUP_DIR',
      (env) => join(env['DATA_DIR']?.trim() || './data', 'backups'),
      path,
      'Folder for backups',
      'DATA_DIR/backups',
    ),
    keep: withDefault(
      'BACKUP_KEEP',
      '7',
      integer(1, 10_000),
      'Number of completed backups to keep per trigger (schedule, API, command line)',
    ),
    verifySchedule: optional('BACKUP_VERIFY_SCHEDULE', cron, 'Cron schedule for verifying the newest backup, in UTC'),
    s3Url: secret(
      'BACKUP_S3_URL',
      objectStorage,
      'S3-compatible storage for a copy of each backup: https://KEY:SECRET@host/bucket/prefix?region=…',
    ),
    keyFile: optional('BACKUP_KEY_FILE', path, 'File with the key that encrypts backups: 64 hexadecimal digits'),
  },
  media: {
    directory: withDefault(
      'MEDIA_DIR',
      (env) => join(env['DATA_DIR']?.trim() || './data', 'media'),
      path,
      'Folder for message files; several instances must share it, or use MEDIA_S3_URL',
      'DATA_DIR/media',
    ),
    s3Url: secret(
      'MEDIA_S3_URL',
      objectStorage,
      'S3-compatible storage for message files, instead of MEDIA_DIR: https://KEY:SECRET@host/bucket/prefix?region=…',
    ),
  },
  transcription: {
    url: optional(
      'TRANSCRIBE_URL',
      url('https', 'http'),
      'Transcription endpoint for voice messages (full URL), such as https://api.openai.com/v1/audio/transcriptions',
    ),
    apiKey: secret('TRANSCRIBE_API_KEY', credential, 'Bearer token for TRANSCRIBE_URL'),
    model: withDefault('TRANSCRIBE_MODEL', 'whisper-1', modelName, 'Model of the transcription endpoint'),
  },
  metricsToken: secret(
    'METRICS_TOKEN',
    credential,
    'Bearer token for /metrics; if unset, only loopback clients may read it',
  ),
  tracing: {
    endpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      url('https', 'http'),
      'OTLP receiver of traces over HTTP, without /v1/traces; if unset, no traces are recorded',
    ),
    headers: secret(
      'OTEL_EXPORTER_OTLP_HEADERS',
      list(otlpHeader),
      'Headers for the OTLP receiver: name=value, separated by commas, values percent-encoded',
    ),
    serviceName: withDefault('OTEL_SERVICE_NAME', 'messaging-gateway', anyText, 'service.name of the traces'),
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
      'Sampler of traces; parentbased follows the traceparent of a request',
    ),
    samplerRatio: withDefault(
      'OTEL_TRACES_SAMPLER_ARG',
      '1',
      decimal(0, 1),
      'Share of traces to record, for traceidratio',
    ),
  },
  log: {
    level: withDefault(
      'LOG_LEVEL',
      'info',
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'Minimum log level',
    ),
  },
} as const;

/** The table of settings as documentation prints it. */
export const CONFIGURATION_VARIABLES: readonly { name: string; default: string; meaning: string }[] = variablesOf(
  SCHEMA,
).map(({ name, defaultText, meaning }) => ({ name, default: defaultText, meaning }));
