import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A scheduled message takes its place in the conversation when it is sent. Until then its position is 0 and its time is in
 * the year 9999; `accepted_at` is the time when the client asked for it.
 *
 * The trigger gives the place where an instance of the version before starts a send: that version does not know that a place is
 * missing. A later version drops it.
 */
export class PlaceScheduledMessages1770700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages ADD COLUMN accepted_at timestamptz(3);

      CREATE FUNCTION place_scheduled_message() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        conversation uuid;
        place integer;
      BEGIN
        SELECT conversation_id INTO conversation FROM messages
        WHERE id = OLD.message_id AND created_at = '9999-12-31 00:00:00+00' AND status = 'pending';
        IF FOUND THEN
          UPDATE conversations SET status = 'active', message_count = message_count + 1,
            last_message_at = greatest(last_message_at, statement_timestamp())
          WHERE id = conversation RETURNING message_count INTO place;
          UPDATE messages SET seq = place, created_at = statement_timestamp() WHERE id = OLD.message_id;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER scheduled_sends_started AFTER DELETE ON scheduled_sends
        FOR EACH ROW EXECUTE FUNCTION place_scheduled_message();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER scheduled_sends_started ON scheduled_sends;
      DROP FUNCTION place_scheduled_message();

      -- The version before counts them where they were stored; positions are counted again.
      UPDATE conversations c SET message_count = c.message_count + m.messages FROM (
        SELECT conversation_id, count(*) AS messages FROM messages WHERE created_at = '9999-12-31 00:00:00+00' GROUP BY 1
      ) m WHERE m.conversation_id = c.id;
      UPDATE messages m SET created_at = m.accepted_at, seq = c.message_count - n.after FROM conversations c, (
        SELECT id, row_number() OVER (PARTITION BY conversation_id ORDER BY accepted_at DESC, id DESC) - 1 AS after
        FROM messages WHERE created_at = '9999-12-31 00:00:00+00'
      ) n WHERE n.id = m.id AND c.id = m.conversation_id;
      TRUNCATE message_ranks;
      ALTER TABLE messages DROP COLUMN accepted_at;
    `);
  }
}
