import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How each platform does per direction, and what was last told of its connection. */
export class RecordIntegrationHealth1764000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Written up to once a second by every instance: free space in each page keeps the updates in place.
      CREATE TABLE integration_health (
        environment     environment NOT NULL,
        platform        text NOT NULL,
        direction       text NOT NULL,
        last_success_at timestamptz(3),
        last_error_at   timestamptz(3),
        last_error_code text,
        last_error      text,
        backlog         integer,
        backlog_at      timestamptz(3),
        PRIMARY KEY (environment, platform, direction)
      ) WITH (fillfactor = 50);

      -- What subscribers to events believe, which a restart does not change.
      ALTER TABLE integrations ADD COLUMN announced text;
      UPDATE integrations SET announced = status WHERE connected_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE integrations DROP COLUMN announced;
      DROP TABLE integration_health;
    `);
  }
}
