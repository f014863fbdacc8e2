import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails about waiting conversations are gathered: the time of the last one decides when the next may follow. */
export class NameKindsOfMail1770300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_outbox ADD COLUMN kind text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_outbox DROP COLUMN kind');
  }
}
