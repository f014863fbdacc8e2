import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests of strangers share rows of the audit log once they are many. */
export class ShareAuditRows1764001220000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_log
        ADD COLUMN count   integer NOT NULL DEFAULT 1,
        ADD COLUMN last_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_log DROP COLUMN last_at, DROP COLUMN count');
  }
}
