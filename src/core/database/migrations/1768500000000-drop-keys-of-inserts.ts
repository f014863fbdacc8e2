import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

const KEYS = [
  {
    table: 'messages',
    name: 'messages_conversation',
    key: 'FOREIGN KEY (conversation_id) REFERENCES conversations (id)',
  },
  {
    table: 'message_parts',
    name: 'message_parts_message',
    key: 'FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE',
  },
  {
    table: 'reply_tasks',
    name: 'reply_tasks_conversation',
    key: 'FOREIGN KEY (conversation_id) REFERENCES conversations (id) ON DELETE CASCADE',
  },
];

/**
 * The statement that stores a message takes the id of the conversation, and of the message, from rows that it stores itself, and no
 * code deletes those. The foreign keys look each of them up once more. `gateway doctor` looks for rows that lack theirs.
 */
export class DropKeysOfInserts1768500000000 implements MigrationInterface {
  /** Each lock is held for a moment. After a crash, the next run goes on. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const { table, name } of KEYS)
      await withBriefLock(runner, `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, name, key } of KEYS) {
      await withBriefLock(
        runner,
        `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}, ADD CONSTRAINT ${name} ${key} NOT VALID`,
      );
      await runner.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`);
    }
  }
}
