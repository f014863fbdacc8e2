import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A configured first key that was rolled must not come back with the next start. */
export class RememberRolledValues1764001210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN retired_digests bytea[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN retired_digests');
  }
}
