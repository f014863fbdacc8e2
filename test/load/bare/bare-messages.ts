import { toPublicId } from '#contracts';
import { bareEvent, EVENT_SCHEMA, storeEvents, type BareEvent } from './bare-events';

/** Tables for what messages promise: they are stored before anything is sent, and they and conversations are listed by time. */
export const MESSAGE_SCHEMA = `
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
  ${EVENT_SCHEMA}`;

/** The conversation that a message belongs to, new or not. @param values SQL of its columns @param source nothing is opened where it has no row */
export function openConversation(values: string, source = ''): string {
  return `INSERT INTO conversation ${source ? `SELECT ${values} ${source}` : `VALUES (${values})`}
      ON CONFLICT (platform, participant) DO UPDATE SET messages = conversation.messages + 1, last_message_at = excluded.last_message_at
      RETURNING id`;
}

/**
 * Stores the outcome of a send, its events, and the end of its lease. $1: the message; $2: the platform's id; from $3 on the
 * events. @param also further common table expressions, each after a comma
 */
export function finishStatement(also = ''): { name: string; text: string } {
  return {
    name: 'finish',
    text: `WITH m AS (
        UPDATE message SET status = 'delivered', platform_id = $2, sent_at = $6, delivered_at = $6, lease_until = NULL
        WHERE id = $1 AND status = 'pending' RETURNING id
      ),
      ${storeEvents(3, 'EXISTS (SELECT FROM m)')}${also}
      SELECT 1`,
  };
}

export interface BareMessage {
  id: string;
  conversationId: string;
  platform: string;
  participant: string;
  content: string;
}

/** What webhooks are told of a message. */
export function messageData({ id, conversationId, platform, participant, content }: BareMessage) {
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    recipient: { id: participant, name: null },
    content,
  };
}

/** The platform took the message, which is all that it tells of a delivery. */
export function sentEvents(message: BareMessage, sentAt: Date): BareEvent[] {
  return ['message.sent', 'message.delivered'].map((type) => bareEvent(type, sentAt, messageData(message)));
}
