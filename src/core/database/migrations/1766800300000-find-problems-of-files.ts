import type { MigrationInterface, QueryRunner } from 'typeorm';

const ERROR = `substring(body, '"error":[{]"(?:code|type)":"([^"]*)"')`;
const FILE = `substring(body, '"reason":"(quota)"'), substring(body, '"status":"(failed|too_large|expired)"')`;

/** The causes of events, and the index of those that tell of problems. */
const index = (causes: string, types: string) => `
      DROP INDEX events_problems;
      CREATE OR REPLACE FUNCTION event_cause(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN coalesce(substring(body, '"platform":"([^"]*)"'), '') || ' ' || coalesce(${causes}, '');
      CREATE INDEX events_problems ON events (environment, type, event_cause(body), created_at, id)
        WHERE type IN (${types});`;

/** `GET /problems` also looks up files that could not be fetched, and conversations that wait for a person. */
export class FindProblemsOfFiles1766800300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${index(`${ERROR}, ${FILE}`, `'ai.error', 'attachment.failed', 'integration.error', 'message.failed'`)}
      CREATE INDEX handovers_waiting ON handovers (environment, requested_at)
        WHERE taken_at IS NULL AND requested_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX handovers_waiting;
      ${index(ERROR, `'ai.error', 'integration.error', 'message.failed'`)}
    `);
  }
}
