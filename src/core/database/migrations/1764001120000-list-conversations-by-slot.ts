import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists of conversations are sorted by the time of the last message, which each message changes. An index of the time
 * itself makes each of these updates write every index; one of the time's slot only the first in a slot.
 */
export class ListConversationsBySlot1764001120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations ADD COLUMN last_message_slot timestamptz(3) NOT NULL
        GENERATED ALWAYS AS (date_bin('5 minutes', last_message_at, '2000-01-01T00:00:00Z')) STORED;
      DROP INDEX conversations_recent;
      DROP INDEX conversations_archived;
      CREATE INDEX conversations_recent ON conversations (environment, last_message_slot);
      CREATE INDEX conversations_archived ON conversations (environment, last_message_slot) WHERE status = 'archived';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX conversations_recent;
      DROP INDEX conversations_archived;
      ALTER TABLE conversations DROP COLUMN last_message_slot;
      CREATE INDEX conversations_recent ON conversations (environment, last_message_at, id);
      CREATE INDEX conversations_archived ON conversations (environment, last_message_at, id) WHERE status = 'archived';
    `);
  }
}
