import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A conversation can be erased: its row stays without a participant, and `erasures` holds the work that is left. Events are
 * kept for days of their own, which begin as those of deliveries.
 */
export class EraseConversations1767400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations ADD COLUMN erased_at timestamptz(3), ALTER COLUMN participant_id DROP NOT NULL;
      CREATE INDEX conversations_kept ON conversations (environment, last_message_slot) WHERE erased_at IS NULL;
      CREATE INDEX conversations_erased ON conversations (environment, erased_at) WHERE erased_at IS NOT NULL;
      CREATE TABLE erasures (
        conversation_id uuid NOT NULL PRIMARY KEY,
        environment environment NOT NULL,
        erased_at timestamptz(3) NOT NULL,
        next_at timestamptz(3) NOT NULL,
        lease_until timestamptz(3),
        fence integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        faults integer NOT NULL DEFAULT 0,
        faulted_at timestamptz(3)
      );
      CREATE INDEX erasures_due ON erasures (next_at);
      CREATE INDEX erasures_faulty ON erasures (faulted_at) WHERE faults >= 5;
      CREATE TABLE erased_message_ids (digest bytea NOT NULL PRIMARY KEY, erased_at timestamptz(3) NOT NULL);
      CREATE INDEX erased_message_ids_erased ON erased_message_ids (erased_at);
      CREATE INDEX idempotent_requests_resource ON idempotent_requests (resource_id);
      UPDATE settings SET document =
        jsonb_set(document, '{retention,event_days}', document -> 'retention' -> 'delivery_days')
      WHERE document -> 'retention' ? 'delivery_days';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE settings SET document = document #- '{retention,event_days}' #- '{retention,message_days}';
      DROP INDEX idempotent_requests_resource;
      DROP TABLE erased_message_ids, erasures;
      UPDATE conversations SET participant_id = concat('erased ', id) WHERE participant_id IS NULL;
      ALTER TABLE conversations DROP COLUMN erased_at, ALTER COLUMN participant_id SET NOT NULL;
    `);
  }
}
