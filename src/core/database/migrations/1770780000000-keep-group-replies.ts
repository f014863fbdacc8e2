import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Earlier versions answered every message of a group. A database that was in use before, and so has the fingerprints of its
 * secrets, keeps that; a new one answers mentions.
 */
export class KeepGroupReplies1770780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO deployment (name, value) SELECT 'group replies', 'all' WHERE EXISTS (SELECT FROM deployment) ON CONFLICT DO NOTHING`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM deployment WHERE name = 'group replies'`);
  }
}
