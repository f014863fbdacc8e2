import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Those that know Unicode, the best first: PostgreSQL's own, from version 18 on, and that of ICU. */
const COLLATIONS = ['pg_unicode_fast', 'und-x-icu'];

/**
 * The names by which conversations are found, folded by Unicode's rules. They are rows of their own, which change only
 * with a name: an index on the conversation would cost each message.
 */
export class SearchConversations1764001610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query('SELECT collname AS name FROM pg_collation WHERE collname = ANY($1)', [
      COLLATIONS,
    ])) as { name: string }[];
    const collation = COLLATIONS.find((name) => rows.some((row) => row.name === name));
    // Upper case first: it makes one of letters such as ß and ss. A sigma is written in another way at the end of a word.
    const upper = collation ? `upper($1 COLLATE "${collation}")` : 'upper($1)';
    await runner.query(`
      CREATE FUNCTION fold_text(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN replace(lower(${upper}), 'ς', 'σ');
      CREATE TABLE conversation_terms (
        conversation_id uuid NOT NULL,
        field text NOT NULL,
        environment environment NOT NULL,
        term text NOT NULL,
        CONSTRAINT "PK_conversation_terms" PRIMARY KEY (conversation_id, field),
        CONSTRAINT conversation_terms_conversation FOREIGN KEY (conversation_id) REFERENCES conversations ON DELETE CASCADE
      );
      CREATE INDEX conversation_terms_beginning ON conversation_terms (environment, term text_pattern_ops);
      CREATE FUNCTION note_conversation_terms() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM conversation_terms WHERE conversation_id = NEW.id;
        INSERT INTO conversation_terms (conversation_id, field, environment, term)
        SELECT NEW.id, field, NEW.environment, left(fold_text(value), 256)
        FROM (VALUES ('name', NEW.participant_name), ('username', NEW.participant_username), ('id', NEW.participant_id))
          AS named (field, value)
        WHERE value IS NOT NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER conversations_named AFTER INSERT ON conversations FOR EACH ROW
        EXECUTE FUNCTION note_conversation_terms();
      CREATE TRIGGER conversations_renamed AFTER UPDATE ON conversations FOR EACH ROW
        WHEN ((OLD.participant_id, OLD.participant_name, OLD.participant_username)
          IS DISTINCT FROM (NEW.participant_id, NEW.participant_name, NEW.participant_username))
        EXECUTE FUNCTION note_conversation_terms();
      INSERT INTO conversation_terms (conversation_id, field, environment, term)
      SELECT id, field, environment, left(fold_text(value), 256)
      FROM conversations, LATERAL (
        VALUES ('name', participant_name), ('username', participant_username), ('id', participant_id)
      ) AS named (field, value)
      WHERE value IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER conversations_renamed ON conversations;
      DROP TRIGGER conversations_named ON conversations;
      DROP FUNCTION note_conversation_terms();
      DROP TABLE conversation_terms;
      DROP FUNCTION fold_text(text);
    `);
  }
}
