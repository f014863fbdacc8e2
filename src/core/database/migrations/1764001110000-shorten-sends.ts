import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A send has its lease, and a message of one part its platform's id, on the message's own row. No index holds these columns
 * but that of the ids of inbound messages, which no update changes. Parts from before stay where they are.
 */
export class ShortenSends1764001110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE messages
        ADD COLUMN received_id         text,
        ADD COLUMN platform_message_id text,
        ADD COLUMN lease_until         timestamptz(3),
        ADD COLUMN write_started_at    timestamptz(3);
      CREATE UNIQUE INDEX messages_received ON messages (environment, platform, received_id) WHERE received_id IS NOT NULL;

      -- Deliveries that are still to be confirmed: the search for abandoned sends finds them.
      UPDATE messages SET lease_until = now() WHERE id IN (SELECT message_id FROM message_tasks WHERE stage = 'confirm');
      INSERT INTO rollups (name, through)
      SELECT 'sends', coalesce(min(message.created_at), now() - interval '1 minute')
      FROM message_tasks task JOIN messages message ON message.id = task.message_id WHERE task.stage = 'confirm';
      DELETE FROM message_tasks WHERE stage = 'confirm';
      ALTER TABLE message_tasks DROP COLUMN stage;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message_tasks ADD COLUMN stage text;
      UPDATE message_tasks SET stage = 'send';
      ALTER TABLE message_tasks ALTER COLUMN stage SET NOT NULL;
      INSERT INTO message_tasks (message_id, stage, next_at, write_started_at)
      SELECT id, CASE status WHEN 'pending' THEN 'send' ELSE 'confirm' END, now(), write_started_at FROM messages
      WHERE lease_until IS NOT NULL AND status IN ('pending', 'sent')
      ON CONFLICT DO NOTHING;
      INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
      SELECT id, 0, environment, platform, coalesce(received_id, platform_message_id),
        CASE direction WHEN 'inbound' THEN 'received' ELSE 'sent' END, coalesce(sent_at, created_at)
      FROM messages WHERE coalesce(received_id, platform_message_id) IS NOT NULL
      ON CONFLICT DO NOTHING;
      DELETE FROM rollups WHERE name = 'sends';
      DROP INDEX messages_received;
      ALTER TABLE messages DROP COLUMN received_id, DROP COLUMN platform_message_id, DROP COLUMN lease_until,
        DROP COLUMN write_started_at;
    `);
  }
}
