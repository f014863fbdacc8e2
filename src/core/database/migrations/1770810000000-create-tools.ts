import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tools that the assistant may call, and the calls. Calls are partitioned by the time in their ids, as deliveries of webhooks are: the
 * gateway adds partitions. A call without a status is under way, or its outcome is unknown.
 */
export class CreateTools1770810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tools (
        id uuid PRIMARY KEY,
        environment environment NOT NULL,
        name text NOT NULL,
        description text NOT NULL,
        parameters json NOT NULL,
        url text NOT NULL,
        timeout_seconds integer NOT NULL,
        enabled boolean NOT NULL,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_until timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL
      )`);
    await runner.query('CREATE UNIQUE INDEX tools_name ON tools (environment, name)');
    await runner.query(`
      CREATE TABLE tool_calls (
        id uuid NOT NULL PRIMARY KEY,
        environment environment NOT NULL,
        tool_id uuid NOT NULL,
        name text NOT NULL,
        arguments json NOT NULL,
        conversation_id uuid,
        message_id uuid,
        answers_from integer,
        answers_to integer,
        round smallint NOT NULL,
        said text,
        status text,
        ms integer,
        result text,
        error text,
        created_at timestamptz(3) NOT NULL
      ) PARTITION BY RANGE (id)`);
    await runner.query('CREATE TABLE tool_calls_other PARTITION OF tool_calls DEFAULT');
    await runner.query('CREATE INDEX tool_calls_list ON tool_calls (tool_id, created_at, id)');
    await runner.query(
      'CREATE INDEX tool_calls_conversation ON tool_calls (conversation_id, id) WHERE conversation_id IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tool_calls');
    await runner.query('DROP TABLE tools');
  }
}
