import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each send adds a task and deletes it. Where a vacuum makes the file short again, PostgreSQL plans to read the whole table, and keeps
 * that plan while dead rows gather; with the pages kept, it uses the primary key.
 */
export class KeepPagesOfTasks1770720100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message_tasks SET (vacuum_truncate = false)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message_tasks RESET (vacuum_truncate)');
  }
}
