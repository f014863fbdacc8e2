import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many answers of a conversation failed in a row: enough of them request a person. */
export class CountFailedReplies1766600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE reply_tasks
        ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN failed_seq integer NOT NULL DEFAULT 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE reply_tasks DROP COLUMN failed_seq, DROP COLUMN failures');
  }
}
