import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many files of messages a backup holds; null: it leaves them out, as those of older versions do. */
export class CountFilesOfBackups1767900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE backups ADD COLUMN files bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE backups DROP COLUMN files');
  }
}
