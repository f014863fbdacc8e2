import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Albums whose items still arrive. */
export class JoinAlbums1767610000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE albums (
        message_id uuid NOT NULL PRIMARY KEY CONSTRAINT albums_message REFERENCES messages ON DELETE CASCADE,
        environment environment NOT NULL,
        platform text NOT NULL,
        album_key text NOT NULL,
        items integer NOT NULL DEFAULT 1,
        caption_item integer,
        sent_at timestamptz(3) NOT NULL,
        next_at timestamptz(3) NOT NULL,
        lease_until timestamptz(3),
        fence integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        faults integer NOT NULL DEFAULT 0,
        faulted_at timestamptz(3)
      );
      CREATE UNIQUE INDEX albums_open ON albums (environment, platform, album_key);
      CREATE INDEX albums_due ON albums (next_at);
      CREATE INDEX albums_faulty ON albums (faulted_at) WHERE faults >= 5;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE albums');
  }
}
