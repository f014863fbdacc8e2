import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What lists find their totals and deep pages by. Ranks are filled by the running gateway, from what is there;
 * conversations are counted by the migration after this.
 */
export class GuideLists1764000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- So many messages of a stream were created before a moment. '*': of any platform, of either direction.
      CREATE TABLE message_ranks (
        environment environment NOT NULL,
        platform    text NOT NULL,
        direction   text NOT NULL,
        at          timestamptz(3) NOT NULL,
        rank        bigint NOT NULL,
        PRIMARY KEY (environment, platform, direction, at)
      );
      CREATE UNIQUE INDEX message_ranks_rank ON message_ranks (environment, platform, direction, rank);

      -- Conversations by the hour in which they were created; '-infinity' is of all hours. What was counted since is in
      -- conversation_count_changes: appended, because writers of one counter would wait for each other.
      CREATE TABLE conversation_counts (
        environment environment NOT NULL,
        hour        timestamptz(3) NOT NULL,
        platform    text NOT NULL,
        status      text NOT NULL,
        count       bigint NOT NULL,
        PRIMARY KEY (environment, hour, platform, status)
      );
      CREATE TABLE conversation_count_changes (
        id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        environment environment NOT NULL,
        hour        timestamptz(3) NOT NULL,
        platform    text NOT NULL,
        status      text NOT NULL,
        change      integer NOT NULL
      );

      -- Archived ones are the oldest: without this, their first page would be found behind all the active. From here on
      -- writers of conversations wait.
      CREATE INDEX conversations_archived ON conversations (environment, last_message_at, id) WHERE status = 'archived';

      -- Triggers, because conversations are opened and made active by the statements that store messages: whatever
      -- writes them, also an instance of the version before, is counted in the same transaction.
      CREATE FUNCTION count_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN
          INSERT INTO conversation_count_changes (environment, hour, platform, status, change)
          VALUES (OLD.environment, date_trunc('hour', OLD.created_at, 'UTC'), OLD.platform, OLD.status, -1);
        END IF;
        IF TG_OP <> 'DELETE' THEN
          INSERT INTO conversation_count_changes (environment, hour, platform, status, change)
          VALUES (NEW.environment, date_trunc('hour', NEW.created_at, 'UTC'), NEW.platform, NEW.status, 1);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER conversations_counted AFTER INSERT OR DELETE ON conversations
        FOR EACH ROW EXECUTE FUNCTION count_conversation();
      -- The condition keeps the update of every message from calling anything.
      CREATE TRIGGER conversations_recounted AFTER UPDATE ON conversations FOR EACH ROW
        WHEN ((OLD.environment, OLD.created_at, OLD.platform, OLD.status)
          IS DISTINCT FROM (NEW.environment, NEW.created_at, NEW.platform, NEW.status))
        EXECUTE FUNCTION count_conversation();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX conversations_archived;
      DROP TRIGGER conversations_counted ON conversations;
      DROP TRIGGER conversations_recounted ON conversations;
      DROP FUNCTION count_conversation;
      DROP TABLE conversation_count_changes, conversation_counts, message_ranks;
    `);
  }
}
