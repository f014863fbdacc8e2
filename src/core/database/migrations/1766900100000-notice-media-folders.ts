import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The folders of media that instances use: more than one at a time means that they do not share it. */
export class NoticeMediaFolders1766900100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE media_folders (
        id uuid NOT NULL,
        seen_at timestamptz(3) NOT NULL,
        CONSTRAINT media_folders_pkey PRIMARY KEY (id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE media_folders`);
  }
}
