import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fromPublicId } from '#contracts';

/**
 * What is owed because of an event is now written with it, so the outbox goes. Events that no process had handled are
 * handled here: their dispatches and the replies that they ask for. An instance of the version before would lose what it
 * stores after this: all instances are stopped first.
 */
export class DropEventOutbox1764001100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE event_outbox IN ACCESS EXCLUSIVE MODE;
      INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
      SELECT event.id, webhook.id, now(), now()
      FROM event_outbox JOIN events event ON event.id = event_outbox.event_id
      JOIN webhooks webhook ON webhook.environment = event.environment AND webhook.status = 'active'
        AND (event.type = ANY (webhook.events) OR '*' = ANY (webhook.events))
      ON CONFLICT (event_id, webhook_id) DO NOTHING;
    `);
    const received = (await runner.query(`
      SELECT event.body::json -> 'data' ->> 'message_id' AS id
      FROM event_outbox JOIN events event ON event.id = event_outbox.event_id WHERE event.type = 'message.received'
    `)) as { id: string }[];
    await runner.query(
      `INSERT INTO reply_tasks AS task (conversation_id, environment, requested_seq, next_at)
       SELECT conversation_id, environment, max(seq), now() FROM messages
       WHERE id = ANY ($1::uuid[]) AND coalesce(options ->> 'expects_reply', 'true') = 'true'
       GROUP BY conversation_id, environment
       ON CONFLICT (conversation_id) DO UPDATE SET
         requested_seq = greatest(task.requested_seq, excluded.requested_seq),
         next_at = coalesce(task.next_at, now()),
         attempts = CASE WHEN task.next_at IS NULL THEN 0 ELSE task.attempts END
       WHERE excluded.requested_seq > task.answered_seq`,
      [received.map(({ id }) => fromPublicId('message', id)).filter((id) => id !== undefined)],
    );
    await runner.query('DROP TABLE event_outbox');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_outbox (
        event_id    uuid PRIMARY KEY CONSTRAINT event_outbox_event REFERENCES events (id) ON DELETE CASCADE,
        lease_until timestamptz(3) NOT NULL
      );
      CREATE INDEX event_outbox_due ON event_outbox (lease_until);
    `);
  }
}
