import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * WhatsApp takes free text within 24 hours of a person's last message only, and templates at any time. Conversations whose
 * last message is older than a day keep no time: WhatsApp decides then.
 */
export class MirrorTemplates1767000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversations ADD COLUMN last_inbound_at timestamptz(3);
      UPDATE conversations c SET last_inbound_at = (
        SELECT created_at FROM messages
        WHERE conversation_id = c.id AND direction = 'inbound' AND created_at > now() - interval '1 day'
        ORDER BY created_at DESC LIMIT 1
      )
      WHERE platform = 'whatsapp' AND last_message_at > now() - interval '1 day';
      CREATE TABLE message_templates (
        name text NOT NULL,
        language text NOT NULL,
        id text NOT NULL,
        category text NOT NULL,
        status text NOT NULL,
        parameter_format text NOT NULL,
        components jsonb NOT NULL,
        synced_at timestamptz(3) NOT NULL,
        PRIMARY KEY (name, language)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE message_templates;
      ALTER TABLE conversations DROP COLUMN last_inbound_at;
    `);
  }
}
