import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who has a conversation: the assistant or a person. Conversations that were paused are a person's, with no end. A database
 * that is in use does not offer the tool `hand_over` to its model until the setting is changed.
 *
 * While the previous version runs beside this one, `ai_paused` and `handling` follow each other. A later version drops both
 * triggers and the column `ai_paused`, which nothing in this version writes.
 */
export class HandConversationsOver1766600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations
        ADD COLUMN handling text NOT NULL DEFAULT 'assistant',
        ADD COLUMN handling_seq integer NOT NULL DEFAULT 0;
      CREATE TABLE handovers (
        conversation_id uuid PRIMARY KEY,
        environment     environment NOT NULL,
        request_id      uuid NOT NULL,
        reason          text,
        summary         text,
        note            text,
        assignee        text,
        requested_at    timestamptz(3),
        taken_at        timestamptz(3),
        resume_at       timestamptz(3),
        notify_at       timestamptz(3),
        next_at         timestamptz(3),
        lease_until     timestamptz(3),
        fence           integer NOT NULL DEFAULT 0,
        attempts        integer NOT NULL DEFAULT 0,
        faults          integer NOT NULL DEFAULT 0,
        faulted_at      timestamptz(3),
        CONSTRAINT handovers_conversation FOREIGN KEY (conversation_id) REFERENCES conversations (id) ON DELETE CASCADE
      );
      CREATE INDEX handovers_due ON handovers (next_at) WHERE next_at IS NOT NULL;
      CREATE INDEX handovers_notify ON handovers (notify_at) WHERE notify_at IS NOT NULL;
      CREATE INDEX handovers_faulty ON handovers (faulted_at) WHERE faults >= 5;
      ALTER TABLE messages ADD COLUMN sent_by text;

      UPDATE conversations SET handling = 'human', handling_seq = message_count WHERE ai_paused;
      INSERT INTO handovers (conversation_id, environment, request_id, taken_at)
      SELECT id, environment, gen_random_uuid(), now() FROM conversations WHERE ai_paused;
      CREATE INDEX conversations_handed_over ON conversations (environment, last_message_slot) WHERE handling <> 'assistant';

      CREATE FUNCTION follow_ai_paused() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.handling <> OLD.handling THEN
          NEW.ai_paused := NEW.handling <> 'assistant';
        ELSIF NEW.ai_paused <> OLD.ai_paused THEN
          NEW.handling := CASE WHEN NEW.ai_paused THEN 'human' ELSE 'assistant' END;
          NEW.handling_seq := NEW.message_count;
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER conversations_follow_ai_paused BEFORE UPDATE OF ai_paused, handling ON conversations
        FOR EACH ROW EXECUTE FUNCTION follow_ai_paused();
      CREATE FUNCTION keep_handover() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.ai_paused THEN
          INSERT INTO handovers (conversation_id, environment, request_id, taken_at)
          VALUES (NEW.id, NEW.environment, gen_random_uuid(), now())
          ON CONFLICT DO NOTHING;
        ELSE
          DELETE FROM handovers WHERE conversation_id = NEW.id;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER conversations_keep_handover AFTER UPDATE OF ai_paused ON conversations FOR EACH ROW
        WHEN (OLD.ai_paused <> NEW.ai_paused) EXECUTE FUNCTION keep_handover();

      INSERT INTO settings (environment, document)
      SELECT environment, '{"handover": {"by_assistant": false}}'
      FROM unnest(enum_range(NULL::environment)) AS environment
      WHERE EXISTS (SELECT FROM api_keys)
      ON CONFLICT (environment) DO UPDATE SET document = settings.document
        || jsonb_build_object('handover', coalesce(settings.document -> 'handover', '{}') || (excluded.document -> 'handover'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE settings SET document = document - 'handover';
      DROP TRIGGER conversations_keep_handover ON conversations;
      DROP TRIGGER conversations_follow_ai_paused ON conversations;
      DROP FUNCTION keep_handover;
      DROP FUNCTION follow_ai_paused;
      DROP INDEX conversations_handed_over;
      ALTER TABLE messages DROP COLUMN sent_by;
      DROP TABLE handovers;
      ALTER TABLE conversations DROP COLUMN handling_seq, DROP COLUMN handling;
    `);
  }
}
