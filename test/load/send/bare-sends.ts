import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';

/**
 * Tables for what a send promises: the message is stored before anything is sent; its outcome, its two events, and what is
 * owed to subscribed webhooks are stored together; conversations and messages can be listed by time.
 */
const SCHEMA = `
  CREATE TABLE conversation (
    id uuid PRIMARY KEY, platform text NOT NULL, participant text NOT NULL, messages int NOT NULL, last_message_at timestamptz NOT NULL,
    UNIQUE (platform, participant)
  ) WITH (fillfactor = 80);
  CREATE TABLE message (
    id uuid PRIMARY KEY, conversation_id uuid NOT NULL REFERENCES conversation, direction text NOT NULL, content text NOT NULL,
    status text NOT NULL, platform_id text, created_at timestamptz NOT NULL, sent_at timestamptz, delivered_at timestamptz,
    lease_until timestamptz
  ) WITH (fillfactor = 80);
  CREATE INDEX message_time ON message (created_at, id);
  CREATE INDEX message_conversation ON message (conversation_id, created_at, id);
  CREATE TABLE event (id uuid PRIMARY KEY, type text NOT NULL, body text NOT NULL, created_at timestamptz NOT NULL);
  CREATE TABLE webhook (id uuid PRIMARY KEY, types text[] NOT NULL);
  CREATE TABLE dispatch (
    webhook_id uuid, event_id uuid, next_at timestamptz NOT NULL DEFAULT now(), lease_until timestamptz, attempts int DEFAULT 0,
    PRIMARY KEY (webhook_id, event_id)
  )`;

const ACCEPT = {
  name: 'accept',
  text: `WITH c AS (
      INSERT INTO conversation VALUES ($2, $3, $4, 1, $5)
      ON CONFLICT (platform, participant) DO UPDATE SET messages = conversation.messages + 1, last_message_at = excluded.last_message_at
      RETURNING id
    )
    INSERT INTO message (id, conversation_id, direction, content, status, created_at, lease_until)
    SELECT $1, id, 'outbound', $6, 'pending', $5, now() + interval '15 seconds' FROM c RETURNING conversation_id`,
};

const FINISH = {
  name: 'finish',
  text: `WITH m AS (
      UPDATE message SET status = 'delivered', platform_id = $2, sent_at = $3, delivered_at = $3, lease_until = NULL
      WHERE id = $1 AND status = 'pending' RETURNING id
    ),
    e AS (
      INSERT INTO event SELECT t.id, t.type, t.body, $3
      FROM unnest($4::uuid[], $5::text[], $6::text[]) AS t (id, type, body) WHERE EXISTS (SELECT FROM m)
      RETURNING id, type
    )
    INSERT INTO dispatch (webhook_id, event_id) SELECT w.id, e.id FROM e JOIN webhook w ON e.type = ANY (w.types)`,
};

const EVENTS = ['message.sent', 'message.delivered'];

/** Sends durably, in two statements. The platform is a sandbox, which takes every message at once. */
export class BareSends {
  constructor(private readonly pool: Pool) {}

  async prepare(): Promise<void> {
    await this.pool.query(SCHEMA);
  }

  async send(platform: string, recipient: string, content: string): Promise<{ id: string; sentAt: Date }> {
    const createdAt = new Date();
    const id = newUuid(createdAt.getTime());
    const accepted = await this.pool.query<{ conversation_id: string }>({
      ...ACCEPT,
      values: [id, newUuid(), platform, recipient, createdAt, content],
    });
    const sentAt = new Date();
    const ids = EVENTS.map(() => newUuid(sentAt.getTime()));
    const data = {
      message_id: toPublicId('message', id),
      conversation_id: toPublicId('conversation', accepted.rows[0]!.conversation_id),
      platform,
      environment: 'test',
      recipient: { id: recipient, name: null },
      content,
    };
    const bodies = EVENTS.map((type, index) =>
      JSON.stringify({ id: toPublicId('event', ids[index]!), type, created_at: sentAt.toISOString(), data }),
    );
    await this.pool.query({ ...FINISH, values: [id, `${data.message_id}:0`, sentAt, ids, EVENTS, bodies] });
    return { id, sentAt };
  }
}
