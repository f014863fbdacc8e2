import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';
import { buildUniqueIndex } from './build-index';

const TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'albums',
  'early_receipts',
  'participant_aliases',
  'message_templates',
  'integrations',
  'integration_health',
];

/** The unique indexes that include the account. `FinishAccounts` drops those that do not. */
const INDEXES: Readonly<Record<string, string>> = {
  conversations_account: 'conversations (environment, platform, account, participant_id)',
  messages_account: 'messages (environment, platform, account, received_id) WHERE received_id IS NOT NULL',
  message_parts_account: `message_parts (environment, platform, account, platform_message_id)
    WHERE platform_message_id IS NOT NULL AND status = 'received'`,
  albums_account: 'albums (environment, platform, account, album_key)',
  early_receipts_account: 'early_receipts (environment, platform, account, platform_message_id, status)',
  participant_aliases_account: 'participant_aliases (environment, platform, account, alias)',
  message_templates_account: 'message_templates (account, name, language)',
  integrations_account: 'integrations (platform, account)',
  integration_health_account: 'integration_health (environment, platform, account, direction)',
};

const trigger = (condition: string) => `
  CREATE OR REPLACE FUNCTION refuse_aliased_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(7246045, hashtext(concat(NEW.environment, ' ', NEW.platform, ' ', NEW.participant_id)))
      OR EXISTS (
        SELECT FROM participant_aliases
        WHERE environment = NEW.environment AND platform = NEW.platform ${condition} AND alias = NEW.participant_id
      )
    THEN
      RAISE unique_violation USING MESSAGE = 'the participant has a conversation under another id';
    END IF;
    RETURN NULL;
  END $$`;

/**
 * Every key made of platform ids includes the account: `default`, or the id of one that the API made. The default is constant, so
 * that no table is rewritten. The unique keys without the account stay: the version before names them in `ON CONFLICT`, and
 * they allow one account of a platform.
 */
export class NameAccounts1770760000000 implements MigrationInterface {
  /** The indexes are built while requests go on. After a crash, the next run finds what is done. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await withBriefLock(
        runner,
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS account text NOT NULL DEFAULT 'default'`,
      );
    for (const [name, definition] of Object.entries(INDEXES)) await buildUniqueIndex(runner, name, definition);
    await runner.query(trigger('AND account = NEW.account'));
    await runner.query(`
      CREATE TABLE IF NOT EXISTS accounts (
        id          uuid NOT NULL PRIMARY KEY,
        environment environment NOT NULL,
        platform    text NOT NULL,
        source      text NOT NULL,
        name        text NOT NULL,
        external_id text,
        credentials bytea,
        settings    jsonb NOT NULL DEFAULT '{}',
        enabled     boolean NOT NULL DEFAULT true,
        is_default  boolean NOT NULL DEFAULT false,
        version     integer NOT NULL DEFAULT 1,
        created_at  timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at  timestamptz(3)
      );
      CREATE UNIQUE INDEX IF NOT EXISTS accounts_name ON accounts (environment, platform, name) WHERE deleted_at IS NULL AND source = 'api';
      CREATE UNIQUE INDEX IF NOT EXISTS accounts_external ON accounts (environment, platform, external_id);
      CREATE UNIQUE INDEX IF NOT EXISTS accounts_environment ON accounts (environment, platform) WHERE source = 'environment';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE accounts');
    await runner.query(trigger(''));
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX IF EXISTS ${name}`);
    for (const table of TABLES) await withBriefLock(runner, `ALTER TABLE ${table} DROP COLUMN IF EXISTS account`);
  }
}
