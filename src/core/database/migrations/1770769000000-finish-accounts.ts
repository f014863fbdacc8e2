import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

/** Tables whose primary key gets the account, with the columns of the former key. The index on `columns` becomes the key. */
const PRIMARY_KEYS = {
  early_receipts: {
    columns: 'environment, platform, account, platform_message_id, status',
    former: 'environment, platform, platform_message_id, status',
  },
  participant_aliases: {
    columns: 'environment, platform, account, alias',
    former: 'environment, platform, alias',
  },
  message_templates: { columns: 'account, name, language', former: 'name, language' },
  integrations: { columns: 'platform, account', former: 'platform' },
  integration_health: {
    columns: 'environment, platform, account, direction',
    former: 'environment, platform, direction',
  },
} as const;

/** The keys that allow one account of a platform: index → what follows `ON`. */
const FORMER_INDEXES = {
  conversations_participant: 'conversations (environment, platform, participant_id)',
  messages_received: 'messages (environment, platform, received_id) WHERE received_id IS NOT NULL',
  message_parts_received: `message_parts (environment, platform, platform_message_id)
    WHERE platform_message_id IS NOT NULL AND status = 'received'`,
  albums_open: 'albums (environment, platform, album_key)',
} as const;

/**
 * Several accounts of a platform are possible from now on, and versions without accounts are not: their `ON CONFLICT` names keys
 * that are gone. They read `migrations` when they start, which then refuses them. Not among the migrations of a start:
 * `gateway migrate --finish` applies it, and the embedded database when its first further account is made.
 */
export class FinishAccounts1770769000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      ...Object.keys(FORMER_INDEXES).map((name) => `DROP INDEX ${name}`),
      ...Object.entries(PRIMARY_KEYS).map(
        ([table]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey,
          ADD CONSTRAINT ${table}_pkey PRIMARY KEY USING INDEX ${table}_account`,
      ),
      `INSERT INTO migrations (timestamp, name) VALUES (1770769000000, '${FinishAccounts1770769000000.name}')`,
      'ALTER TABLE migrations RENAME TO applied_migrations',
      `CREATE FUNCTION refuse_older_version() RETURNS boolean LANGUAGE plpgsql AS $$
       BEGIN
         RAISE EXCEPTION 'This database was finished (gateway migrate --finish) for a newer version of the gateway, and this version cannot use it: start the newer version';
       END $$`,
      'CREATE VIEW migrations AS SELECT id, timestamp, name FROM applied_migrations WHERE refuse_older_version()',
    );
  }

  /** Fails if a platform has rows of several accounts with the same id. */
  async down(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      'DROP VIEW migrations',
      'DROP FUNCTION refuse_older_version()',
      'ALTER TABLE applied_migrations RENAME TO migrations',
      `DELETE FROM migrations WHERE name = '${FinishAccounts1770769000000.name}'`,
      ...Object.entries(PRIMARY_KEYS).flatMap(([table, { columns, former }]) => [
        `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD PRIMARY KEY (${former})`,
        `CREATE UNIQUE INDEX ${table}_account ON ${table} (${columns})`,
      ]),
      ...Object.entries(FORMER_INDEXES).map(([name, definition]) => `CREATE UNIQUE INDEX ${name} ON ${definition}`),
    );
  }
}
