import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each key is used for, and what it costs. The rows of the present hour change often: free space keeps them in place. */
export class CountUseOfKeys1766800100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys ADD COLUMN last_address text;
      CREATE TABLE api_key_usage (
        api_key_id uuid NOT NULL,
        hour       timestamptz(3) NOT NULL,
        requests   bigint NOT NULL,
        refusals   bigint NOT NULL,
        PRIMARY KEY (api_key_id, hour)
      ) WITH (fillfactor = 50);
      CREATE TABLE ai_key_usage (
        api_key_id    uuid NOT NULL,
        hour          timestamptz(3) NOT NULL,
        model         text NOT NULL,
        requests      bigint NOT NULL,
        input_tokens  bigint NOT NULL,
        output_tokens bigint NOT NULL,
        cost_usd      numeric(18,8) NOT NULL,
        PRIMARY KEY (api_key_id, hour, model)
      ) WITH (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE ai_key_usage;
      DROP TABLE api_key_usage;
      ALTER TABLE api_keys DROP COLUMN last_address;
    `);
  }
}
