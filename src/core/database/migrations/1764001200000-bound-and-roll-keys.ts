import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a key may spend on the AI, who made it, and the value that a roll replaced. */
export class BoundAndRollKeys1764001200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN ai_budget_daily_usd   double precision,
        ADD COLUMN ai_budget_monthly_usd double precision,
        ADD COLUMN ai_models             text[] NOT NULL DEFAULT '{}',
        ADD COLUMN created_by            text,
        ADD COLUMN previous_digest       bytea,
        ADD COLUMN previous_ends_at      timestamptz(3);
      CREATE UNIQUE INDEX api_keys_previous_digest ON api_keys (previous_digest);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        DROP COLUMN previous_ends_at,
        DROP COLUMN previous_digest,
        DROP COLUMN created_by,
        DROP COLUMN ai_models,
        DROP COLUMN ai_budget_monthly_usd,
        DROP COLUMN ai_budget_daily_usd;
    `);
  }
}
