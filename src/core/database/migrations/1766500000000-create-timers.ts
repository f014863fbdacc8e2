import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is done at intervals, by one instance at a time. */
export class CreateTimers1766500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE timers (
        name text PRIMARY KEY,
        next_at timestamptz(3) NOT NULL DEFAULT now(),
        fence integer NOT NULL DEFAULT 0
      ) WITH (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE timers');
  }
}
