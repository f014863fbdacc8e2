import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the last instance that stopped as planned gave a connected platform back. */
export class HandPlatformsOver1764001400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integrations ADD COLUMN handed_over_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE integrations DROP COLUMN handed_over_at');
  }
}
