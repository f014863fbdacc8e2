import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the files of a backup are, and when they were verified. A version before this leaves them null. */
export class PlaceAndVerifyBackups1765800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE backups
        ADD COLUMN folder text,
        ADD COLUMN remote text,
        ADD COLUMN verified_at timestamptz(3),
        ADD COLUMN verify_error text,
        ADD COLUMN verify_scheduled_for timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE backups
        DROP COLUMN folder,
        DROP COLUMN remote,
        DROP COLUMN verified_at,
        DROP COLUMN verify_error,
        DROP COLUMN verify_scheduled_for;
    `);
  }
}
