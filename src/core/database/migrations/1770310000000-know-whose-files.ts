import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A person may hold a tenth of the quota of media. Bytes that came before count for no person. */
export class KnowWhoseFiles1770310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE media_files ADD COLUMN person text;
      CREATE INDEX media_files_person ON media_files (person, size_bytes) WHERE person IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE media_files DROP COLUMN person');
  }
}
