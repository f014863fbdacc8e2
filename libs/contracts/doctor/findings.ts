/** What `gateway doctor` can find: one row each. `docs/doctor.md` has the same table. */
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
    'A check could not run, because what it needs is missing',
    'Fix the other findings, then run the doctor again.',
  ),
  'doctor.failed': fault(
    'A check had no result within 15 seconds, or ended with an unexpected error',
    'Look whether the named service hangs or a firewall drops its packets. If not, report the line with the version.',
  ),

  'configuration.invalid': fault(
    'A variable has a value that is not accepted: the gateway does not start',
    'Set the variable to one of the accepted values (docs/configuration.md).',
  ),
  'configuration.unknown': warning(
    'A variable looks like one of the gateway’s, and is none: it has no effect',
    'Correct its name (docs/configuration.md), or remove it.',
  ),

  'database.unreachable': fault(
    'No PostgreSQL answers at the address, or it has no connection left',
    'Start the server, or correct host and port in DATABASE_URL; look at firewalls and at max_connections.',
  ),
  'database.login-refused': fault(
    'PostgreSQL refuses the user, the password or the encryption, or has no database of this name',
    'Correct user, password, database and sslmode in DATABASE_URL, or pg_hba.conf of the server.',
  ),
  'database.not-made': fault(
    'DATABASE_URL is not set, and DATA_DIR has no database',
    'Give the doctor the environment of the gateway (--env-file). Before its first start, start the gateway: it makes the database.',
  ),
  'database.embedded-broken': fault(
    'The embedded PostgreSQL cannot be started or reached',
    'Do as the line says; DATA_DIR/postgres.log has more.',
  ),
  'database.too-old': fault(
    'The server is older than PostgreSQL 15: the gateway does not start',
    'Upgrade the server, or set DATABASE_URL to a newer one.',
  ),
  'database.read-only': fault(
    'The database takes no writes: a standby, or default_transaction_read_only',
    'Set DATABASE_URL to the primary, or switch read-only mode off.',
  ),
  'database.privileges': fault(
    'The role lacks privileges that migrations or requests need',
    'Make the role the owner of the database and its tables: ALTER DATABASE … OWNER TO …, REASSIGN OWNED.',
  ),
  'database.no-trigrams': warning(
    'The extension pg_trgm is missing and this role cannot create it: the search of conversations matches beginnings only',
    'Have a superuser run CREATE EXTENSION pg_trgm in this database.',
  ),
  'database.migrations-pending': warning(
    'The schema is older than this version of the gateway',
    'Start the gateway, or run gateway migrate.',
  ),
  'database.migrations-ahead': warning(
    'A newer version of the gateway has migrated the database',
    'Update this installation to that version.',
  ),
  'database.connections-few': warning(
    'Fewer connections are left than one instance of the gateway may open (24)',
    'Raise max_connections or the limit of the role, end programs that hold connections, or put a pooler before the server.',
  ),
  'database.direct': fault(
    'DATABASE_DIRECT_URL does not answer, or leads to another database: migrations, LISTEN and backups need it',
    'Set DATABASE_DIRECT_URL to the server of DATABASE_URL, or unset it where DATABASE_URL is the server itself.',
  ),
  'database.pooler': fault(
    'DATABASE_URL leads to a pooler, and the gateway is not set up for it',
    'Set DATABASE_DIRECT_URL to the server itself. Set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
  ),

  'secrets.differ': fault(
    'A secret is missing, or is not the one that the database was used with: the gateway does not start',
    'Set the variable to its former value, or restore the file DATA_DIR/pepper.',
  ),

  'redis.unreachable': fault(
    'No Redis answers at the address, or it refuses the login: limits count for each instance alone, and work waits for the next sweep',
    'Start Redis, or correct host, port, user and password in REDIS_URL; unset it to run without Redis.',
  ),
  'redis.read-only': fault('The server is a replica, which takes no writes', 'Set REDIS_URL to the primary.'),
  'redis.eviction': fault(
    'Redis may evict keys: jobs and limits would vanish',
    'Set maxmemory-policy noeviction in redis.conf.',
  ),
  'redis.memory': warning(
    'More than 90 % of Redis’ maxmemory is used: beyond it every write fails',
    'Raise maxmemory, or remove what else is in this Redis.',
  ),
  'redis.persistence-failing': fault(
    'Redis failed to write its data to disk, and may refuse writes because of it',
    'Look at the log of Redis and at its disk (space, permissions).',
  ),

  'telegram.unreachable': fault(
    'The Bot API does not answer, or answers with an error',
    'Do as its answer says; without one, look at the network, at proxies and at TELEGRAM_API_ROOT.',
  ),
  'telegram.token-refused': fault(
    'Telegram refuses the bot token',
    'Set TELEGRAM_BOT_TOKEN to the one that @BotFather shows for the bot.',
  ),
  'telegram.webhook-elsewhere': fault(
    'Another address is set as the bot’s webhook: this gateway receives nothing',
    'Stop the other program, then reconnect Telegram; for polling, call deleteWebhook with the token first.',
  ),
  'telegram.webhook-failing': fault(
    'Telegram could not deliver updates to the webhook within the last hour',
    'Do as its message says: the address must be reachable from outside, with a valid certificate.',
  ),
  'telegram.backlog': warning(
    'More than 100 updates wait at Telegram; it drops them after 24 hours',
    'Start the gateway. If it runs, look whether its database is slow or away.',
  ),

  'discord.unreachable': fault(
    'The API of Discord does not answer, or answers with an error',
    'Do as its answer says; without one, look at the network, at proxies and at DISCORD_API_URL.',
  ),
  'discord.token-refused': fault(
    'Discord refuses the bot token',
    'Set DISCORD_BOT_TOKEN to the one that the developer portal shows (Bot, Reset Token).',
  ),
  'discord.intents': fault(
    'The bot may not read messages: Message Content Intent is off, and Discord closes the connection (4014)',
    'Switch it on in the developer portal (Bot, Privileged Gateway Intents), then reconnect.',
  ),

  'whatsapp.unreachable': fault(
    'The Graph API does not answer, or answers with an error',
    'Do as its answer says; without one, look at the network, at proxies and at WHATSAPP_API_URL.',
  ),
  'whatsapp.token-refused': fault(
    'WhatsApp refuses the access token, or it lacks the permission whatsapp_business_messaging',
    'Set WHATSAPP_ACCESS_TOKEN to a token of a system user that does not expire and has this permission for the number.',
  ),
  'whatsapp.number': fault(
    'WhatsApp does not know the phone number id, or does not show it to this token',
    'Set WHATSAPP_PHONE_NUMBER_ID to the id on the API set-up page of the app: it is not the number itself.',
  ),
  'whatsapp.token-expiring': warning(
    'The access token expires within 14 days',
    'Make a token of a system user that does not expire, and set WHATSAPP_ACCESS_TOKEN to it.',
  ),
  'whatsapp.app-secret': fault(
    'WHATSAPP_APP_SECRET is not the secret of the app that the token belongs to: every callback gets 401',
    'Set it to the one that the app’s settings show (Basic, App secret).',
  ),
  'whatsapp.not-subscribed': fault(
    'The app is not subscribed to messages, or the business account notifies another app: WhatsApp does not call the gateway',
    'In the app’s WhatsApp configuration set the callback URL (…/callbacks/whatsapp) and subscribe to messages; subscribe the app to the account: POST /<business account id>/subscribed_apps.',
  ),

  'ai.unreachable': fault(
    'The AI provider does not answer, or answers with an error',
    'Do as its answer says; without one, look at the network, at proxies and at ANTHROPIC_BASE_URL.',
  ),
  'ai.key-refused': fault('The AI provider refuses the API key', 'Set ANTHROPIC_API_KEY to a key that is active.'),
  'ai.model-unknown': fault(
    'The AI provider does not offer a model of the settings, or not to this key',
    'Set ai.model and ai.fallback_models (gateway settings set), or AI_MODEL, to models that the provider lists.',
  ),

  'mail.unreachable': fault(
    'The mail server does not respond, is not an SMTP server, or refuses the login',
    'Correct host, port, scheme (smtp, smtps), user and password in SMTP_URL.',
  ),
  'mail.no-owner': warning(
    'SMTP_URL is set and no owner’s address is: mail is kept and not sent',
    'Set OWNER_EMAIL, or notifications.owner_email in the settings.',
  ),

  'receivers.not-allowed': fault(
    'The address of a webhook’s receiver is not allowed: every delivery is refused',
    'Change the webhook’s URL, or allow its range with WEBHOOK_ALLOWED_CIDRS if it is your own.',
  ),
  'receivers.http': fault(
    'A webhook’s URL begins with http://, and WEBHOOK_ALLOW_HTTP is not true: every delivery is refused',
    'Change the URL to https://, or set WEBHOOK_ALLOW_HTTP=true if the receiver is in your own network.',
  ),
  'receivers.unreachable': fault(
    'A webhook’s receiver cannot be reached, or its certificate is not valid',
    'Tell its operator; events are kept and can be replayed (gateway webhooks replay).',
  ),
  'receivers.failed': warning(
    'The gateway stopped delivering to a webhook: an event was refused to the end',
    'When its receiver works again: gateway webhooks resume, or PATCH {"enabled": true}, then replay.',
  ),

  'references.broken': fault(
    'Rows name a conversation or a message that is not there: something deleted rows by hand, or the gateway has a defect',
    'Restore the missing rows from a backup. If nothing but the gateway has written to the database, report it, with this line and the version.',
  ),

  'restore.held': warning(
    'A restore holds webhook deliveries and mails that were due when the backup was made',
    'Look at what the receivers have got since, then run gateway webhooks resume.',
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

  'backups.overdue': fault(
    'BACKUP_SCHEDULE is set, and the newest backup is older than two of its runs',
    'See that the gateway runs, and what GET /api/v1/admin/backups says of the last one.',
  ),
  'backups.failed': fault('The last backup failed', 'Fix what the line says, then run gateway backup create.'),
  'backups.none': warning(
    'The gateway has been used for a week, and no backup is younger than that',
    'Set BACKUP_SCHEDULE, or run gateway backup create.',
  ),
  'backups.file-missing': fault(
    'The file of a backup that should be kept is not in BACKUP_DIR',
    'Restore the file, or run gateway backup create.',
  ),
  'backups.key-file': fault(
    'BACKUP_KEY_FILE cannot be used: every backup fails',
    'Make it readable, with 32 bytes as 64 hexadecimal digits (openssl rand -hex 32).',
  ),
  'backups.storage': fault(
    'The storage at BACKUP_S3_URL does not answer, or refuses the key or the bucket: no backup is copied there',
    'Correct host, key and bucket in BACKUP_S3_URL; look at the network and at firewalls.',
  ),

  'media.not-shared': warning(
    'Instances that run keep the files of messages in different folders: each lacks the files of the others',
    'Set MEDIA_DIR to a folder that all instances share, or MEDIA_S3_URL.',
  ),

  'files.open': fault(
    'Other users of this machine can read secrets or messages, or write to a folder of the gateway',
    'Run chmod 600 on the file, chmod 700 on the folder.',
  ),
  'files.first-keys': warning(
    'The first API keys have been in DATA_DIR/first-keys for more than a day',
    'Take the keys out and delete the file.',
  ),

  'tls.expired': fault('The certificate in TLS_CERT_FILE is not valid now', 'Renew it, and restart the gateway.'),
  'tls.expiring': warning(
    'The certificate in TLS_CERT_FILE expires within 21 days',
    'Renew it, and restart the gateway.',
  ),

  'port.taken': fault(
    'Another program listens at HOST and PORT: the gateway does not start',
    'End the other program, or set PORT to a free one.',
  ),

  'proxy.every-request-refused': fault(
    'REQUIRE_HTTPS is true, and neither TLS_CERT_FILE nor TRUST_PROXY is set: every API request gets 400',
    'Set TRUST_PROXY to the address of the proxy that ends TLS, or TLS_CERT_FILE and TLS_KEY_FILE.',
  ),
  'proxy.trusts-any-address': fault(
    'TRUST_PROXY has a range of every address: a client chooses the address that it is known by',
    'Set TRUST_PROXY to the addresses of the proxies alone.',
  ),
  'proxy.plain-http': warning(
    'The gateway listens beyond this machine without HTTPS: API keys travel in clear text',
    'Set REQUIRE_HTTPS=true behind a proxy that ends TLS, or TLS_CERT_FILE and TLS_KEY_FILE.',
  ),
} as const satisfies Record<string, FindingKind>;

export type FindingCode = keyof typeof FINDINGS;
