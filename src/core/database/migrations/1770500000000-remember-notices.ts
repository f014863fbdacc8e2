import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices of platforms about accounts that are problems, and whether a person takes marketing messages. */
export class RememberNotices1770500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE integration_notices (
        environment environment NOT NULL,
        platform    text NOT NULL,
        account     text NOT NULL DEFAULT 'default',
        cause       text NOT NULL,
        severity    text NOT NULL,
        message     text NOT NULL,
        count       integer NOT NULL DEFAULT 1,
        event_ids   uuid[] NOT NULL,
        first_at    timestamptz(3) NOT NULL,
        last_at     timestamptz(3) NOT NULL,
        PRIMARY KEY (environment, platform, account, cause)
      );
      CREATE TABLE marketing_preferences (
        environment    environment NOT NULL,
        platform       text NOT NULL,
        account        text NOT NULL DEFAULT 'default',
        participant_id text NOT NULL,
        allowed        boolean NOT NULL,
        changed_at     timestamptz(3) NOT NULL,
        ends_at        timestamptz(3),
        PRIMARY KEY (environment, platform, account, participant_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE integration_notices; DROP TABLE marketing_preferences');
  }
}
