import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a backup that runs will hold the files of messages. Those of the previous version count as if they did. */
export class KnowBackupsWithoutMedia1768400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE backups ADD COLUMN media boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE backups DROP COLUMN media');
  }
}
