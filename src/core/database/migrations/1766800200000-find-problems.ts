import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What `GET /problems` looks up: events by their cause, the last answer of the AI, and which problems are dismissed. */
export class FindProblems1766800200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The body is the gateway's own JSON: a text within it has its quotes escaped, and is never taken for a field. A cast to
    // jsonb would refuse an event with a character that jsonb does not know.
    await runner.query(`
      CREATE FUNCTION event_cause(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN coalesce(substring(body, '"platform":"([^"]*)"'), '') || ' '
          || coalesce(substring(body, '"error":[{]"(?:code|type)":"([^"]*)"'), '');
      CREATE INDEX events_problems ON events (environment, type, event_cause(body), created_at, id)
        WHERE type IN ('ai.error', 'integration.error', 'message.failed');
      ALTER TABLE ai_usage ADD COLUMN answered_at timestamptz(3);
      CREATE TABLE problem_dismissals (
        problem_id   uuid NOT NULL PRIMARY KEY,
        dismissed_at timestamptz(3) NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE problem_dismissals;
      ALTER TABLE ai_usage DROP COLUMN answered_at;
      DROP INDEX events_problems;
      DROP FUNCTION event_cause(text);
    `);
  }
}
