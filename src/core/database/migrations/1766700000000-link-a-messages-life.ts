import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rows of a message's life name one another: messages their request, answers what they answer, events their message. */
export class LinkAMessagesLife1766700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages
        ADD COLUMN request_id uuid,
        ADD COLUMN answers_from integer,
        ADD COLUMN answers_to integer,
        ADD COLUMN repeats jsonb;
      ALTER TABLE events
        ADD COLUMN conversation_id uuid,
        ADD COLUMN message_id uuid,
        ADD COLUMN answers_from integer;
      CREATE INDEX events_subject ON events (conversation_id, message_id) WHERE conversation_id IS NOT NULL;
      CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
      CREATE INDEX audit_log_request ON audit_log (request_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX audit_log_request;
      DROP INDEX webhook_deliveries_event;
      DROP INDEX events_subject;
      ALTER TABLE events DROP COLUMN answers_from, DROP COLUMN message_id, DROP COLUMN conversation_id;
      ALTER TABLE messages
        DROP COLUMN repeats, DROP COLUMN answers_to, DROP COLUMN answers_from, DROP COLUMN request_id;
    `);
  }
}
