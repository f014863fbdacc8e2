import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The backups that were made, and which of them run. */
export class RecordBackups1764001700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE backups (
        id            uuid PRIMARY KEY,
        status        text NOT NULL,
        trigger       text NOT NULL,
        scheduled_for timestamptz(3) UNIQUE,
        started_at    timestamptz(3) NOT NULL,
        finished_at   timestamptz(3),
        size_bytes    bigint,
        sha256        text,
        rows          bigint,
        error         text,
        file          text
      );
      CREATE INDEX backups_list ON backups (started_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE backups');
  }
}
