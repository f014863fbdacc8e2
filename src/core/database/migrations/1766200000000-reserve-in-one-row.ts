import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each call reserves in the row of its budget (ADR 75). A version before this keeps taking portions from the same row:
 * `ai_spending_portions` and `granted` are for it alone, and are dropped when none may run any more.
 */
export class ReserveInOneRow1766200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ai_spending
        ADD COLUMN held_before bigint NOT NULL DEFAULT 0,
        ADD COLUMN round bigint NOT NULL DEFAULT 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ai_spending DROP COLUMN held_before, DROP COLUMN round');
  }
}
