import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Idempotency keys, the audit log's filter by key, and since when a conversation counts as active. */
export class AddRestSurface1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_requests (
        api_key_id  uuid NOT NULL,
        key         text NOT NULL,
        fingerprint bytea NOT NULL,
        resource_id uuid NOT NULL,
        outcome     json,
        lease_until timestamptz(3) NOT NULL,
        created_at  timestamptz(3) NOT NULL,
        PRIMARY KEY (api_key_id, key)
      );
      CREATE INDEX idempotent_requests_created ON idempotent_requests (created_at);

      CREATE INDEX audit_log_key ON audit_log (api_key_id, created_at, id);

      -- Set when somebody makes an idle conversation active by hand: it is not archived again the next moment.
      ALTER TABLE conversations ADD COLUMN activated_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations DROP COLUMN activated_at;
      DROP INDEX audit_log_key;
      DROP TABLE idempotent_requests;
    `);
  }
}
