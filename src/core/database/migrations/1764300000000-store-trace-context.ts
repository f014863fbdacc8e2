import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A trace goes on where a row is taken up: by a later request, by a worker, by another instance. */
export class StoreTraceContext1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages ADD COLUMN traceparent text');
    await runner.query('ALTER TABLE events ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events DROP COLUMN traceparent');
    await runner.query('ALTER TABLE messages DROP COLUMN traceparent');
  }
}
