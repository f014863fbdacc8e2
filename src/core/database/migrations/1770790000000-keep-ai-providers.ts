import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of AI providers that the API sets. */
export class KeepAiProviders1770790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ai_providers (
        name     text NOT NULL,
        api_key  bytea,
        base_url text,
        set_at   timestamptz(3) NOT NULL,
        CONSTRAINT "PK_ai_providers" PRIMARY KEY (name)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ai_providers');
  }
}
