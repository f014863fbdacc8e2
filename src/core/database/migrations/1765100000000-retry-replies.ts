import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A reply that the provider fails stays due, and one that is given up shows for a while. */
export class RetryReplies1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE reply_tasks ADD COLUMN request_id uuid, ADD COLUMN given_up_at timestamptz(3);
      CREATE INDEX reply_tasks_given_up ON reply_tasks (given_up_at) WHERE given_up_at IS NOT NULL;
      UPDATE reply_tasks SET faults = 0, given_up_at = faulted_at WHERE faults >= 5 AND next_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX reply_tasks_given_up;
      ALTER TABLE reply_tasks DROP COLUMN given_up_at, DROP COLUMN request_id;
    `);
  }
}
