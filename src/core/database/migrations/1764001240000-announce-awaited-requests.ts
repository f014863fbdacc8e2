import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only the end of an idempotent request that another one waits for is announced. */
export class AnnounceAwaitedRequests1764001240000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotent_requests ADD COLUMN awaited boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotent_requests DROP COLUMN awaited');
  }
}
