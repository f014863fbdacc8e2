import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

/**
 * Why the newest messages of a conversation have no answer. Few rows have an error: the index finds the unanswered conversations
 * without reading the others. An answer removes the error, in the statement that stores the answer.
 */
export class RecordReplyErrors1770800000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      'ALTER TABLE reply_tasks ADD COLUMN IF NOT EXISTS last_error jsonb',
      'CREATE INDEX IF NOT EXISTS reply_tasks_failed ON reply_tasks (environment) WHERE last_error IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await withBriefLock(runner, 'ALTER TABLE reply_tasks DROP COLUMN IF EXISTS last_error');
  }
}
