import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['reply_tasks', 'message_tasks', 'mail_outbox', 'webhook_dispatches'];

/** How often in a row due work failed by a fault of the gateway itself. */
export class CountOwnFaults1764001410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`
        ALTER TABLE ${table} ADD COLUMN faults integer NOT NULL DEFAULT 0, ADD COLUMN faulted_at timestamptz(3);
        CREATE INDEX ${table}_faulty ON ${table} (faulted_at) WHERE faults >= 5;
      `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`
        DROP INDEX ${table}_faulty;
        ALTER TABLE ${table} DROP COLUMN faults, DROP COLUMN faulted_at;
      `);
  }
}
