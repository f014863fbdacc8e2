import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files of messages. A version before this one writes none, and shows none. */
export class StoreAttachments1766900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE media_files (
        environment environment NOT NULL,
        sha256 text NOT NULL,
        size_bytes bigint NOT NULL,
        touched_at timestamptz(3) NOT NULL,
        CONSTRAINT media_files_pkey PRIMARY KEY (environment, sha256)
      );
      CREATE TABLE media_usage (
        environment environment NOT NULL,
        bytes bigint NOT NULL,
        CONSTRAINT media_usage_pkey PRIMARY KEY (environment)
      );
      CREATE TABLE attachments (
        id uuid NOT NULL,
        environment environment NOT NULL,
        message_id uuid,
        kind text NOT NULL,
        mime_type text,
        size_bytes bigint,
        sha256 text,
        filename text,
        width integer,
        height integer,
        duration_seconds double precision,
        status text NOT NULL,
        reason text,
        transcript text,
        source jsonb,
        created_at timestamptz(3) NOT NULL,
        unused_since timestamptz(3),
        next_at timestamptz(3),
        lease_until timestamptz(3),
        fence integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        faults integer NOT NULL DEFAULT 0,
        faulted_at timestamptz(3),
        CONSTRAINT attachments_pkey PRIMARY KEY (id)
      );
      CREATE INDEX attachments_stored ON attachments (environment, sha256) WHERE status = 'stored';
      CREATE INDEX attachments_kept ON attachments (environment, created_at) WHERE status = 'stored';
      CREATE INDEX attachments_unused ON attachments (unused_since) WHERE unused_since IS NOT NULL;
      CREATE INDEX attachments_due ON attachments (next_at) WHERE next_at IS NOT NULL;
      CREATE INDEX attachments_faulty ON attachments (faulted_at) WHERE faults >= 5;
      CREATE TABLE message_attachments (
        message_id uuid NOT NULL,
        position integer NOT NULL,
        attachment_id uuid NOT NULL,
        CONSTRAINT message_attachments_pkey PRIMARY KEY (message_id, position),
        CONSTRAINT message_attachments_attachment FOREIGN KEY (attachment_id) REFERENCES attachments (id)
      );
      CREATE INDEX message_attachments_uses ON message_attachments (attachment_id);
      ALTER TABLE messages ADD COLUMN has_attachments boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages DROP COLUMN has_attachments;
      DROP TABLE message_attachments;
      DROP TABLE attachments;
      DROP TABLE media_usage;
      DROP TABLE media_files;
    `);
  }
}
