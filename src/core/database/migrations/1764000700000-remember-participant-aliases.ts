import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The other ids that a platform has had for a participant. */
export class RememberParticipantAliases1764000700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE participant_aliases (
        environment    environment NOT NULL,
        platform       text NOT NULL,
        alias          text NOT NULL,
        participant_id text NOT NULL,
        PRIMARY KEY (environment, platform, alias)
      );
      CREATE INDEX participant_aliases_participant ON participant_aliases (environment, platform, participant_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE participant_aliases');
  }
}
