import { toPublicId } from '#contracts';
import { bareEvent, EVENT_SCHEMA, storeEvents, type BareEvent } from './bare-events';

/** Tables to store messages before they are sent, and to list messages by time. */
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

/** Inserts or updates a message's conversation. @param values SQL of its columns @param source a FROM clause; no row: no conversation */
export function openConversation(values: string, source = ''): string {
  return `INSERT INTO conversation ${source ? `SELECT ${values} ${source}` : `VALUES (${values})`}
      ON CONFLICT (platform, participant) DO UPDATE SET messages = conversation.messages + 1, last_message_at = excluded.last_message_at
      RETURNING id`;
}

/**
 * Stores the outcome of a send with its events, and ends its lease. $1: the message's id; $2: the platform's id; from $3 on:
 * the events. @param also further common table expressions, each after a comma
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

/** A message as webhooks get it. */
export function messageData({ id, conversationId, platform, participant, content }: BareMessage) {
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    recipient: { id: participant, name: null },
    content,
  };
}

/** The events of an accepted message: without receipts, acceptance counts as delivery. */
export function sentEvents(message: BareMessage, sentAt: Date): BareEvent[] {
  return ['message.sent', 'message.delivered'].map((type) => bareEvent(type, sentAt, messageData(message)));
}
