import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the recipients' devices tell of our messages, part by part (WhatsApp). */
export class RecordReceipts1764000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message_parts
        ADD COLUMN delivered_at timestamptz(3),
        ADD COLUMN read_at      timestamptz(3),
        ADD COLUMN failure      jsonb;

      -- Receipts that were quicker than the record of their send. Kept for an hour: most others are of messages that
      -- somebody else sent from the same number.
      CREATE TABLE early_receipts (
        environment         environment NOT NULL,
        platform            text NOT NULL,
        platform_message_id text NOT NULL,
        status              text NOT NULL,
        at                  timestamptz(3) NOT NULL,
        failure             jsonb,
        recorded_at         timestamptz(3) NOT NULL,
        PRIMARY KEY (environment, platform, platform_message_id, status)
      );
      CREATE INDEX early_receipts_recorded ON early_receipts (recorded_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE early_receipts;
      UPDATE message_parts SET status = 'sent' WHERE status IN ('delivered', 'read');
      ALTER TABLE message_parts DROP COLUMN delivered_at, DROP COLUMN read_at, DROP COLUMN failure;
    `);
  }
}
