import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The messages that failed, in the order of time, for `GET /messages?status=failed`. An index on `messages.status` would cost every
 * send the writing of all indexes (ADR 37); triggers that fire for failures alone cost it nothing.
 */
export class ListFailedMessages1766710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE failed_messages (
        environment     environment NOT NULL,
        created_at      timestamptz(3) NOT NULL,
        message_id      uuid NOT NULL,
        platform        text NOT NULL,
        conversation_id uuid NOT NULL,
        PRIMARY KEY (environment, created_at, message_id, platform)
      );

      CREATE FUNCTION list_failed_message() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO failed_messages (environment, created_at, message_id, platform, conversation_id)
        VALUES (NEW.environment, NEW.created_at, NEW.id, NEW.platform, NEW.conversation_id)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;

      CREATE TRIGGER messages_failed_at_once AFTER INSERT ON messages
        FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION list_failed_message();
      CREATE TRIGGER messages_failed AFTER UPDATE OF status ON messages
        FOR EACH ROW WHEN (NEW.status = 'failed' AND OLD.status <> 'failed') EXECUTE FUNCTION list_failed_message();

      -- No message fails until the end of the transaction: the triggers have locked the table.
      INSERT INTO failed_messages (environment, created_at, message_id, platform, conversation_id)
      SELECT environment, created_at, id, platform, conversation_id FROM messages WHERE status = 'failed';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER messages_failed ON messages;
      DROP TRIGGER messages_failed_at_once ON messages;
      DROP FUNCTION list_failed_message();
      DROP TABLE failed_messages;
    `);
  }
}
