import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A send may be scheduled. Its due work has a table of its own: a previous version, which runs beside this one during an
 * upgrade, would drop a task of a message that is not `pending`.
 */
export class ScheduleSends1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages ADD COLUMN send_at timestamptz(3);
      CREATE TABLE scheduled_sends (
        message_id uuid NOT NULL PRIMARY KEY CONSTRAINT scheduled_sends_message REFERENCES messages ON DELETE CASCADE,
        environment environment NOT NULL,
        next_at timestamptz(3) NOT NULL,
        lease_until timestamptz(3),
        fence integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        faults integer NOT NULL DEFAULT 0,
        faulted_at timestamptz(3)
      );
      CREATE INDEX scheduled_sends_due ON scheduled_sends (next_at);
      CREATE INDEX scheduled_sends_faulty ON scheduled_sends (faulted_at) WHERE faults >= 5;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE messages SET status = 'failed', failure = jsonb_build_object('code', 'platform_unavailable',
        'message', 'The gateway went back to a version that cannot schedule.', 'platform_code', NULL, 'retryable', true)
      WHERE status IN ('scheduled', 'cancelled');
      DROP TABLE scheduled_sends;
      ALTER TABLE messages DROP COLUMN send_at;
    `);
  }
}
