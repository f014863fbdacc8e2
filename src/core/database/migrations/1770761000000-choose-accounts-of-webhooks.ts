import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A webhook may get the events of some accounts only. */
export class ChooseAccountsOfWebhooks1770761000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhooks ADD COLUMN accounts text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN accounts');
  }
}
