import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that the AI provider refused: the assistant names them to the model from then on. */
export class RememberUnreadableFiles1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attachments ADD COLUMN unreadable boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attachments DROP COLUMN unreadable');
  }
}
