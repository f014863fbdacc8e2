import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A setting that raises a limit resumes the conversations that waited for that limit. Older requests name no limit, and wait as before. */
export class NameLimitsOfHandovers1770100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE handovers ADD COLUMN waits_for text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE handovers DROP COLUMN waits_for');
  }
}
