import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the AI has cost beside its budgets, and replies that wait for their turn. A database that is in use keeps
 * to no budget until it is given one: its assistant must not fall silent with an update.
 */
export class BudgetTheAi1764001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ai_spending (
        owner     text NOT NULL,
        period    text NOT NULL,
        starts_on date NOT NULL,
        spent     bigint NOT NULL DEFAULT 0,
        held      bigint NOT NULL DEFAULT 0,
        granted   bigint NOT NULL DEFAULT 0,
        refused   bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (owner, period, starts_on)
      );
      CREATE TABLE ai_spending_portions (
        instance_id uuid NOT NULL,
        owner       text NOT NULL,
        period      text NOT NULL,
        starts_on   date NOT NULL,
        amount      bigint NOT NULL,
        lease_until timestamptz(3) NOT NULL,
        PRIMARY KEY (instance_id, owner, period, starts_on)
      );
      CREATE TABLE ai_budget_notices (
        id          uuid PRIMARY KEY,
        environment environment NOT NULL,
        owner       text NOT NULL,
        period      text NOT NULL,
        starts_on   date NOT NULL,
        percent     smallint NOT NULL,
        ceiling     bigint NOT NULL,
        created_at  timestamptz(3) NOT NULL
      );
      CREATE UNIQUE INDEX ai_budget_notices_once ON ai_budget_notices (owner, period, starts_on, percent, ceiling);
      ALTER TABLE reply_tasks ADD COLUMN admitted boolean NOT NULL DEFAULT false;
      INSERT INTO settings (environment, document)
      SELECT environment, '{"ai": {"budget": {"daily_usd": null, "monthly_usd": null}}}'
      FROM unnest(enum_range(NULL::environment)) AS environment
      WHERE EXISTS (SELECT FROM api_keys)
      ON CONFLICT (environment) DO UPDATE SET document = settings.document
        || jsonb_build_object('ai', coalesce(settings.document -> 'ai', '{}') || (excluded.document -> 'ai'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE settings SET document = document #- '{ai,budget}';
      ALTER TABLE reply_tasks DROP COLUMN admitted;
      DROP TABLE ai_budget_notices, ai_spending_portions, ai_spending;
    `);
  }
}
