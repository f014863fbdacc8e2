import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

/** Labels and metadata that clients give a conversation. A message updates no index of them, because it does not change them. */
export class LabelConversations1770800010000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      `ALTER TABLE conversations
         ADD COLUMN IF NOT EXISTS labels text[] NOT NULL DEFAULT '{}',
         ADD COLUMN IF NOT EXISTS metadata jsonb NOT NULL DEFAULT '{}'`,
      `CREATE INDEX IF NOT EXISTS conversations_labelled ON conversations USING gin (labels) WHERE labels <> '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      'ALTER TABLE conversations DROP COLUMN IF EXISTS labels, DROP COLUMN IF EXISTS metadata',
    );
  }
}
