/** The findings of `gateway doctor`, one row each. `docs/doctor.md` has the same table. */
export interface FindingKind {
  readonly status: 'warning' | 'fault';
  /** Meaning, for the documentation. */
  readonly meaning: string;
  readonly fix: string;
}

function fault(meaning: string, fix: string): FindingKind {
  return { status: 'fault', meaning, fix };
}

function warning(meaning: string, fix: string): FindingKind {
  return { status: 'warning', meaning, fix };
}

export const FINDINGS = {
  'doctor.not-checked': warning(
    'A check could not run because another finding prevents it',
    'Fix the other findings, then run the doctor again.',
  ),
  'doctor.failed': fault(
    'A check had no result within 15 seconds, or ended with an unexpected error',
    'Check whether the named service hangs, or a firewall drops its packets. If not, report this line with the version.',
  ),

  'configuration.invalid': fault(
    'A variable has an invalid value: the gateway does not start',
    'Set the variable to one of the accepted values (docs/configuration.md).',
  ),
  'configuration.unknown': warning(
    'A variable looks like one of the gateway, but is unknown and has no effect',
    'Correct its name (docs/configuration.md), or remove it.',
  ),

  'database.unreachable': fault(
    'PostgreSQL does not respond, has no free connection, refuses user, password or encryption, or has no database of this name',
    'Start the server, or correct host, port, user, password, database and sslmode in DATABASE_URL. Check firewalls, pg_hba.conf and max_connections. For the embedded server see DATA_DIR/postgres.log.',
  ),
  'database.not-made': fault(
    'DATABASE_URL is not set, and DATA_DIR has no database',
    'Run the doctor with the environment of the gateway (--env-file). If the gateway never ran, start it: it creates the database.',
  ),
  'database.too-old': fault(
    'The server is older than PostgreSQL 15: the gateway does not start',
    'Upgrade the server, or set DATABASE_URL to a newer one.',
  ),
  'database.refuses-writes': fault(
    'The database is read-only (a standby, or default_transaction_read_only), or the role lacks privileges that migrations or requests need',
    'Set DATABASE_URL to the primary, or turn read-only mode off. Make the role the owner of the database and its tables: ALTER DATABASE … OWNER TO …, REASSIGN OWNED.',
  ),
  'database.no-trigrams': warning(
    'The extension pg_trgm is missing, and this role cannot create it: the conversation search only matches beginnings',
    'Have a superuser run CREATE EXTENSION pg_trgm in this database.',
  ),
  'database.migrations-ahead': warning(
    'A newer version of the gateway has migrated the database',
    'Update this installation to that version.',
  ),
  'database.connections-few': warning(
    'Fewer connections are free than an instance may open (24)',
    'Raise max_connections or the limit of the role, stop programs that hold connections, or use a pooler.',
  ),
  'database.direct': fault(
    'The server at DATABASE_DIRECT_URL does not respond, or is another database: migrations, LISTEN and backups need it',
    'Set DATABASE_DIRECT_URL to the server behind DATABASE_URL, or unset it if there is no pooler.',
  ),
  'database.pooler': fault(
    'DATABASE_URL is a pooler, and the gateway is not configured for it',
    'Set DATABASE_DIRECT_URL to the server itself. Set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
  ),

  'secrets.differ': fault(
    'A secret is missing, or differs from the one that the database was used with: the gateway does not start',
    'Set the variable to its old value, or restore the file DATA_DIR/pepper.',
  ),

  'redis.unreachable': fault(
    'Redis does not respond, or refuses the login: each instance counts limits separately, and work waits for the next sweep',
    'Start Redis, or correct host, port, user and password in REDIS_URL; unset it to run without Redis.',
  ),
  'redis.refuses-writes': fault(
    'The server is a read-only replica, or could not save its data to disk',
    'Set REDIS_URL to the primary. Check the log of Redis and its disk (space, permissions).',
  ),
  'redis.eviction': fault(
    'Redis may evict keys, and so lose jobs and limits',
    'Set maxmemory-policy noeviction in redis.conf.',
  ),
  'redis.memory': warning(
    'More than 90 % of maxmemory is used; above it every write fails',
    'Raise maxmemory, or remove other data from this Redis.',
  ),

  'telegram.unreachable': fault(
    'The Bot API does not respond, or returns an error',
    'Follow the error. Without a response, check the network, proxies and TELEGRAM_API_ROOT.',
  ),
  'telegram.token-refused': fault(
    'Telegram refuses the bot token',
    'Set TELEGRAM_BOT_TOKEN to the token that @BotFather shows.',
  ),
  'telegram.webhook': fault(
    'The bot’s webhook is another URL, or Telegram could not deliver to it within the last hour: this gateway receives nothing',
    'For another URL stop the other program, then reconnect Telegram; for polling, call deleteWebhook with the token first. Otherwise follow the error of Telegram: the URL must be public, with a valid certificate.',
  ),

  'discord.unreachable': fault(
    'The Discord API does not respond, or returns an error',
    'Follow the error. Without a response, check the network, proxies and DISCORD_API_URL.',
  ),
  'discord.token-refused': fault(
    'Discord refuses the bot token',
    'Set DISCORD_BOT_TOKEN to the token of the developer portal (Bot, Reset Token).',
  ),
  'discord.intents': fault(
    'The bot may not read messages: Message Content Intent is off, and Discord closes the connection (4014)',
    'Enable it in the developer portal (Bot, Privileged Gateway Intents), then reconnect.',
  ),

  'whatsapp.unreachable': fault(
    'The Graph API does not respond, or returns an error',
    'Follow the error. Without a response, check the network, proxies and WHATSAPP_API_URL.',
  ),
  'whatsapp.token-refused': fault(
    'WhatsApp refuses the access token, or it lacks the permission whatsapp_business_messaging',
    'Set WHATSAPP_ACCESS_TOKEN to a permanent token of a system user with this permission for the number.',
  ),
  'whatsapp.number': fault(
    'WhatsApp does not know the phone number id, or this token has no access to it',
    'Set WHATSAPP_PHONE_NUMBER_ID to the id on the API setup page of the app, not to the number.',
  ),
  'whatsapp.token-expiring': warning(
    'The access token expires within 14 days',
    'Create a permanent token of a system user, and set WHATSAPP_ACCESS_TOKEN to it.',
  ),
  'whatsapp.app-secret': fault(
    'WHATSAPP_APP_SECRET is not the secret of the token’s app: every callback gets 401',
    'Set it to the app secret in the app’s settings (Basic).',
  ),
  'whatsapp.not-subscribed': fault(
    'The app is not subscribed to messages, or the business account notifies another app: WhatsApp does not call the gateway',
    'In the app’s WhatsApp configuration set the callback URL (…/callbacks/whatsapp) and subscribe to messages; subscribe the app to the account: POST /<business account id>/subscribed_apps.',
  ),

  'ai.unreachable': fault(
    'The AI provider does not respond, or returns an error',
    'Follow the error. Without a response, check the network, proxies and the base URL of the provider.',
  ),
  'ai.key-refused': fault(
    'The AI provider refuses the API key',
    'Set ANTHROPIC_API_KEY or OPENAI_API_KEY to an active key.',
  ),
  'ai.model-unknown': fault(
    'A configured model does not exist, or this key has no access to it',
    'Set ai.model and ai.fallback_models (gateway settings set), or AI_MODEL, to models of the provider’s list.',
  ),

  'mail.unreachable': fault(
    'The mail server does not respond, is not an SMTP server, or refuses the login',
    'Correct host, port, scheme (smtp, smtps), user and password in SMTP_URL.',
  ),
  'mail.no-owner': warning(
    'SMTP_URL is set, but the owner has no address: mail is kept, not sent',
    'Set OWNER_EMAIL, or notifications.owner_email in the settings.',
  ),

  'receivers.not-allowed': fault(
    'The URL of a webhook’s receiver is not allowed: every delivery is refused',
    'Change the URL. For a receiver in your own network add its range to WEBHOOK_ALLOWED_CIDRS, and set WEBHOOK_ALLOW_HTTP=true for http://.',
  ),
  'receivers.unreachable': fault(
    'A webhook’s receiver cannot be reached, or its certificate is not valid',
    'Tell its operator; events are kept and can be replayed (gateway webhooks replay).',
  ),

  'references.broken': fault(
    'Rows refer to a missing conversation or message: rows were deleted by hand, or the gateway has a bug',
    'Restore the missing rows from a backup. If only the gateway writes to the database, report this line with the version.',
  ),

  'restore.held': warning(
    'A restore holds webhook deliveries and mails that were due when the backup was made',
    'Check what the receivers already have, then run gateway webhooks resume.',
  ),

  'disk.full': fault(
    'Less than 128 MiB are free: writes will fail',
    'Free space, or move DATA_DIR or BACKUP_DIR to a larger disk.',
  ),
  'disk.low': warning('Less than 1 GiB is free', 'Free space, or move DATA_DIR or BACKUP_DIR to a larger disk.'),
  'disk.not-writable': fault(
    'The gateway’s user cannot write to a folder that it needs',
    'Give the folder to that user (chown), or mount it writable.',
  ),

  'backups.failing': fault(
    'The last backup failed, or BACKUP_SCHEDULE is set and the newest backup is older than two scheduled runs',
    'Fix the error in the line, then run gateway backup create. Without an error, check that the gateway runs.',
  ),
  'backups.none': warning(
    'The gateway has been used for a week, but has no backup of the last seven days',
    'Set BACKUP_SCHEDULE, or run gateway backup create.',
  ),
  'backups.file-missing': fault(
    'The file of a current backup is missing in BACKUP_DIR',
    'Restore the file, or run gateway backup create.',
  ),
  'backups.key-file': fault(
    'BACKUP_KEY_FILE cannot be used: every backup fails',
    'Make it readable, with 32 bytes as 64 hexadecimal digits (openssl rand -hex 32).',
  ),
  'backups.storage': fault(
    'The storage at BACKUP_S3_URL does not respond, or refuses the key or the bucket: backups are not copied there',
    'Correct host, key and bucket in BACKUP_S3_URL. Check the network and firewalls.',
  ),

  'media.not-shared': warning(
    'Running instances store message files in different folders: each lacks the files of the others',
    'Set MEDIA_DIR to a folder that all instances share, or MEDIA_S3_URL.',
  ),

  'files.open': fault(
    'Other users of this machine can read secrets or messages, or write to a folder of the gateway',
    'Run chmod 600 on the file, chmod 700 on the folder.',
  ),
  'files.first-keys': warning(
    'The first API keys have been in DATA_DIR/first-keys for more than a day',
    'Copy the keys, then delete the file.',
  ),

  'tls.expired': fault('The certificate in TLS_CERT_FILE is not valid now', 'Renew it, and restart the gateway.'),
  'tls.expiring': warning(
    'The certificate in TLS_CERT_FILE expires within 21 days',
    'Renew it, and restart the gateway.',
  ),

  'port.taken': fault(
    'Another program uses HOST and PORT: the gateway does not start',
    'Stop the other program, or set PORT to a free port.',
  ),
  'port.not-ready': fault(
    'The gateway at HOST and PORT answers 503 to GET /health/ready: its database is unavailable, or it is stopping',
    'Fix the other findings. /health/ready names the component, and GET /status says more.',
  ),

  'proxy.every-request-refused': fault(
    'REQUIRE_HTTPS is true, and neither TLS_CERT_FILE nor TRUST_PROXY is set: every API request gets 400',
    'Set TRUST_PROXY to the address of the proxy that ends TLS, or TLS_CERT_FILE and TLS_KEY_FILE.',
  ),
  'proxy.trusts-any-address': fault(
    'TRUST_PROXY trusts every address, so clients can forge theirs',
    'Set TRUST_PROXY to the addresses of your proxies only.',
  ),
  'proxy.plain-http': warning(
    'The gateway is reachable from other machines without HTTPS: API keys are sent in clear text',
    'Set REQUIRE_HTTPS=true behind a proxy that ends TLS, or TLS_CERT_FILE and TLS_KEY_FILE.',
  ),
} as const satisfies Record<string, FindingKind>;

export type FindingCode = keyof typeof FINDINGS;
