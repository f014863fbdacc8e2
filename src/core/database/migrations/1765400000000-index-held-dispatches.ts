import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `GET /status` counts what a restore holds. Elsewhere the index is empty. */
export class IndexHeldDispatches1765400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX webhook_dispatches_held ON webhook_dispatches (webhook_id) WHERE state = 'held'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_dispatches_held');
  }
}
