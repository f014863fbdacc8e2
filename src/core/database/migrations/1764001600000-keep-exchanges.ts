import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a delivery is shown with: where it went, how it was signed, and the headers of the answer. */
export class KeepExchanges1764001600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_deliveries
        ADD COLUMN url text,
        ADD COLUMN signed_twice boolean NOT NULL DEFAULT false,
        ADD COLUMN response_headers json
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE webhook_deliveries DROP COLUMN url, DROP COLUMN signed_twice, DROP COLUMN response_headers',
    );
  }
}
