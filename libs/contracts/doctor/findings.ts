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
  'doctor.timed-out': fault(
    'A check had no result in time: what it asked does not answer',
    'Look whether the named service hangs or a firewall drops its packets, then run the doctor again.',
  ),
  'doctor.failed': fault('A check ended with an unexpected error', 'Report it, with this line and the version.'),

  'configuration.invalid': fault(
    'A variable has a value that is not accepted: the gateway does not start',
    'Set the variable to one of the accepted values (docs/configuration.md).',
  ),
  'configuration.unknown': warning(
    'A variable looks like one of the gateway’s, and is none: it has no effect',
    'Correct its name (docs/configuration.md), or remove it.',
  ),

  'database.unreachable': fault(
    'No PostgreSQL answers at the address',
    'Start the server, or correct host and port in DATABASE_URL; look at firewalls between.',
  ),
  'database.login-refused': fault(
    'PostgreSQL refuses the user, the password or the encryption',
    'Correct user, password and sslmode in DATABASE_URL, or pg_hba.conf of the server.',
  ),
  'database.missing': fault(
    'The server has no database of this name',
    'Create it (CREATE DATABASE …), or correct the name in DATABASE_URL.',
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
  'database.clock-skew': warning(
    'The clocks of this machine and of the database differ by more than a second',
    'Run NTP (chrony, systemd-timesyncd) on both machines.',
  ),
  'database.migrations-pending': warning(
    'The schema is older than this version of the gateway',
    'Start the gateway, or run gateway migrate.',
  ),
  'database.migrations-ahead': warning(
    'A newer version of the gateway has migrated the database',
    'Update this installation to that version.',
  ),
  'database.connections-none': fault(
    'The server, the database or the role has no connection left',
    'Raise max_connections or the limit of the role, or end programs that hold connections.',
  ),
  'database.connections-few': warning(
    'Fewer connections are left than one instance of the gateway may open (24)',
    'Raise max_connections or the limit of the role, or put a pooler before the server.',
  ),
  'database.direct-unreachable': fault(
    'DATABASE_DIRECT_URL does not answer: migrations, LISTEN and backups need it',
    'Correct DATABASE_DIRECT_URL, or unset it where DATABASE_URL is the server itself.',
  ),
  'database.direct-differs': fault(
    'DATABASE_DIRECT_URL leads to another database than DATABASE_URL',
    'Set both to the same server and database.',
  ),
  'database.pooler-direct': fault(
    'DATABASE_URL leads to a pooler, and DATABASE_DIRECT_URL is not set: LISTEN and locks do not work through it',
    'Set DATABASE_DIRECT_URL to the server itself.',
  ),
  'database.pooler-prepared': fault(
    'The pooler mixes up the prepared statements of its clients: requests fail, or the gateway does not start',
    'Set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
  ),

  'secrets.differ': fault(
    'A secret is another one than the database was used with: the gateway does not start',
    'Set the variable to its former value, or restore the file DATA_DIR/pepper.',
  ),
  'secrets.missing': fault(
    'The database was used with a pepper, and DATA_DIR has none that can be read: the gateway does not start',
    'Restore the file DATA_DIR/pepper, or set API_KEY_PEPPER to the former value.',
  ),

  'redis.unreachable': fault(
    'No Redis answers at the address: limits count for each instance alone, and work waits for the next sweep',
    'Start Redis, or correct host and port in REDIS_URL; unset it to run without Redis.',
  ),
  'redis.login-refused': fault(
    'Redis refuses the user or the password, or the user may not run a command',
    'Correct user and password in REDIS_URL, or the ACL of the user.',
  ),
  'redis.too-old': fault('Redis is older than 5.0, which the queues need', 'Upgrade Redis.'),
  'redis.read-only': fault('The server is a replica, which takes no writes', 'Set REDIS_URL to the primary.'),
  'redis.eviction': fault(
    'Redis may evict keys: jobs and limits would vanish',
    'Set maxmemory-policy noeviction in redis.conf.',
  ),
  'redis.memory': warning(
    'More than 90 % of Redis’ maxmemory is used: beyond it every write fails',
    'Raise maxmemory, or remove what else is in this Redis.',
  ),
  'redis.not-persistent': warning(
    'Redis keeps nothing on disk: its restart resets limits, and work waits for the next sweep. No data is lost',
    'Set appendonly yes in redis.conf.',
  ),
  'redis.persistence-failing': fault(
    'Redis failed to write its data to disk, and may refuse writes because of it',
    'Look at the log of Redis and at its disk (space, permissions).',
  ),
  'redis.slow': warning(
    'A round trip to Redis takes more than 20 ms; each request makes one',
    'Place Redis near the gateway, and look for slow commands (SLOWLOG GET).',
  ),

  'telegram.unreachable': fault(
    'The Bot API does not answer',
    'Look at the network, at proxies and at TELEGRAM_API_ROOT.',
  ),
  'telegram.token-refused': fault(
    'Telegram refuses the bot token',
    'Set TELEGRAM_BOT_TOKEN to the one that @BotFather shows for the bot.',
  ),
  'telegram.refused': fault('Telegram answered with an error', 'Do as the answer says, and run the doctor again.'),
  'telegram.webhook-elsewhere': fault(
    'Another address is set as the bot’s webhook: this gateway receives nothing',
    'Stop the other program, then reconnect Telegram; for polling, call deleteWebhook with the token first.',
  ),
  'telegram.webhook-not-set': warning(
    'TELEGRAM_WEBHOOK_URL is set, and Telegram has no webhook yet',
    'Start the gateway: it sets the webhook. If it runs, look at its log.',
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
    'The API of Discord does not answer',
    'Look at the network, at proxies and at DISCORD_API_URL.',
  ),
  'discord.token-refused': fault(
    'Discord refuses the bot token',
    'Set DISCORD_BOT_TOKEN to the one that the developer portal shows (Bot, Reset Token).',
  ),
  'discord.refused': fault('Discord answered with an error', 'Do as the answer says, and run the doctor again.'),
  'discord.intents': fault(
    'The bot may not read messages: Message Content Intent is off, and Discord closes the connection (4014)',
    'Switch it on in the developer portal (Bot, Privileged Gateway Intents), then reconnect.',
  ),
  'discord.identifies': warning(
    'The bot has fewer than 50 of its 1,000 logins of this day left: something reconnects again and again',
    'Look at the log for what breaks the connection, and stop other programs that use this token.',
  ),

  'whatsapp.unreachable': fault(
    'The Graph API does not answer',
    'Look at the network, at proxies and at WHATSAPP_API_URL.',
  ),
  'whatsapp.token-refused': fault(
    'WhatsApp refuses the access token: it is wrong, revoked or expired',
    'Set WHATSAPP_ACCESS_TOKEN to a token of a system user that does not expire.',
  ),
  'whatsapp.refused': fault('WhatsApp answered with an error', 'Do as the answer says, and run the doctor again.'),
  'whatsapp.number': fault(
    'WhatsApp does not know the phone number id, or does not show it to this token',
    'Set WHATSAPP_PHONE_NUMBER_ID to the id on the API set-up page of the app: it is not the number itself.',
  ),
  'whatsapp.quality': warning(
    'WhatsApp rates the quality of the number red: it may lower its limits',
    'Look at WhatsApp Manager for what people report and block.',
  ),
  'whatsapp.token-expiring': warning(
    'The access token expires within 14 days',
    'Make a token of a system user that does not expire, and set WHATSAPP_ACCESS_TOKEN to it.',
  ),
  'whatsapp.permissions': fault(
    'The access token lacks the permission whatsapp_business_messaging',
    'Make a token of a system user with this permission for the number.',
  ),
  'whatsapp.app-secret': fault(
    'WHATSAPP_APP_SECRET is not the secret of the app that the token belongs to: every callback gets 401',
    'Set it to the one that the app’s settings show (Basic, App secret).',
  ),
  'whatsapp.not-subscribed': fault(
    'The app is not subscribed to messages: WhatsApp does not call the gateway',
    'In the app’s WhatsApp configuration set the callback URL (…/callbacks/whatsapp) and subscribe to messages.',
  ),
  'whatsapp.account-not-subscribed': fault(
    'The WhatsApp Business account of the number sends its notifications to another app',
    'Subscribe the app: POST /<business account id>/subscribed_apps with the access token.',
  ),

  'ai.unreachable': fault(
    'The AI provider does not answer',
    'Look at the network, at proxies and at ANTHROPIC_BASE_URL.',
  ),
  'ai.key-refused': fault('The AI provider refuses the API key', 'Set ANTHROPIC_API_KEY to a key that is active.'),
  'ai.refused': fault('The AI provider answered with an error', 'Do as the answer says, and run the doctor again.'),
  'ai.model-unknown': fault(
    'The AI provider does not offer the model, or not to this key: no message is answered with it',
    'Set ai.model (gateway settings set ai.model), or AI_MODEL, to a model that the provider lists.',
  ),
  'ai.fallback-unknown': warning(
    'The AI provider does not offer a fallback model',
    'Correct ai.fallback_models in the settings.',
  ),

  'mail.unreachable': fault(
    'The mail server does not respond, or is not an SMTP server',
    'Correct host, port and scheme (smtp, smtps) in SMTP_URL.',
  ),
  'mail.login-refused': fault('The mail server refuses user and password', 'Correct user and password in SMTP_URL.'),
  'mail.no-owner': warning(
    'SMTP_URL is set and no owner’s address is: mail is kept and not sent',
    'Set OWNER_EMAIL, or notifications.owner_email in the settings.',
  ),

  'receivers.not-allowed': fault(
    'The address of a webhook’s receiver is not allowed: every delivery is refused',
    'Change the webhook’s URL, or allow its range with WEBHOOK_ALLOWED_CIDRS if it is your own.',
  ),
  'receivers.unreachable': fault(
    'A webhook’s receiver cannot be reached',
    'Tell its operator; events are kept and can be replayed (gateway webhooks replay).',
  ),
  'receivers.tls': fault(
    'The certificate of a webhook’s receiver is not valid: deliveries fail',
    'Have its operator renew the certificate, or add the missing intermediate one.',
  ),
  'receivers.certificate-expiring': warning(
    'The certificate of a webhook’s receiver expires within 14 days',
    'Tell its operator.',
  ),
  'receivers.failed': warning(
    'The gateway stopped delivering to a webhook: an event was refused to the end',
    'When its receiver works again: gateway webhooks resume, or PATCH {"enabled": true}, then replay.',
  ),
  'receivers.disabled': warning(
    'A webhook is disabled, by PATCH or because its receiver answered 410: it gets no events',
    'Enable it with PATCH {"enabled": true}, or delete it.',
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
  'backups.no-room': warning(
    'BACKUP_DIR has less room than the newest backup takes',
    'Free space, lower BACKUP_KEEP, or set BACKUP_DIR to a larger disk.',
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

  'files.secret-readable': fault(
    'Other users of this machine can read a file that holds secrets or messages',
    'Run chmod 600 on the file, chmod 700 on the folder.',
  ),
  'files.writable': fault(
    'Other users of this machine can write to a folder of the gateway',
    'Run chmod go-w on the folder.',
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
