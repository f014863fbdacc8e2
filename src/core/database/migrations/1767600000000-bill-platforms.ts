import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a platform bills: of each part, of each hour, and what the sends of a day have reserved. */
export class BillPlatforms1767600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message_parts ADD COLUMN billing jsonb;
      ALTER TABLE early_receipts ADD COLUMN pricing jsonb;
      CREATE TABLE platform_usage (
        environment environment NOT NULL,
        hour timestamptz(3) NOT NULL,
        platform text NOT NULL,
        category text NOT NULL,
        country text NOT NULL,
        messages integer NOT NULL,
        billable integer NOT NULL,
        unpriced integer NOT NULL,
        cost_usd numeric(18, 8) NOT NULL,
        PRIMARY KEY (environment, hour, platform, category, country)
      );
      CREATE TABLE billable_days (
        environment environment NOT NULL,
        day date NOT NULL,
        messages integer NOT NULL,
        PRIMARY KEY (environment, day)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billable_days;
      DROP TABLE platform_usage;
      ALTER TABLE early_receipts DROP COLUMN pricing;
      ALTER TABLE message_parts DROP COLUMN billing;
    `);
  }
}
