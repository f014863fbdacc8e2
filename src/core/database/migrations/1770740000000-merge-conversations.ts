import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

/**
 * Two conversations of one person become one: the newer one is archived and names the other.
 *
 * The trigger refuses a new conversation under an id that is an alias, or becomes one in a transaction that is under way: its
 * statement may have looked the alias up before it was committed. The caller retries, as after any other unique violation.
 *
 * A merged conversation is found by its id, which is an alias of the other's: it needs no index of its own.
 */
export class MergeConversations1770740000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      `ALTER TABLE conversations ADD COLUMN IF NOT EXISTS merged_into uuid`,
      `ALTER TABLE conversations DROP CONSTRAINT IF EXISTS conversations_merged_archived`,
      `ALTER TABLE conversations ADD CONSTRAINT conversations_merged_archived
         CHECK (merged_into IS NULL OR status = 'archived') NOT VALID`,
      `CREATE OR REPLACE FUNCTION refuse_aliased_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF NOT pg_try_advisory_xact_lock_shared(7246045, hashtext(concat(NEW.environment, ' ', NEW.platform, ' ', NEW.participant_id)))
           OR EXISTS (
             SELECT FROM participant_aliases
             WHERE environment = NEW.environment AND platform = NEW.platform AND alias = NEW.participant_id
           )
         THEN
           RAISE unique_violation USING MESSAGE = 'the participant has a conversation under another id';
         END IF;
         RETURN NULL;
       END $$`,
      `CREATE OR REPLACE TRIGGER conversations_not_aliased AFTER INSERT ON conversations FOR EACH ROW
         WHEN (NEW.participant_id IS NOT NULL) EXECUTE FUNCTION refuse_aliased_conversation()`,
    );
    await runner.query('ALTER TABLE conversations VALIDATE CONSTRAINT conversations_merged_archived');
  }

  async down(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      'DROP TRIGGER IF EXISTS conversations_not_aliased ON conversations',
      'DROP FUNCTION IF EXISTS refuse_aliased_conversation()',
      'ALTER TABLE conversations DROP COLUMN IF EXISTS merged_into',
    );
  }
}
