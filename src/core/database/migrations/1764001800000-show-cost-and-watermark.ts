import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an answer of the AI cost, on its message; and when the context of a conversation was last cleared. */
export class ShowCostAndWatermark1764001800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages ADD COLUMN cost_usd numeric(18, 8);
      ALTER TABLE conversations ADD COLUMN cleared_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations DROP COLUMN cleared_at;
      ALTER TABLE messages DROP COLUMN cost_usd;
    `);
  }
}
