import type { Message } from '#client';
import type { LiveEvent } from '../live-event';

export type MessageEvent = Extract<LiveEvent, { type: `message.${string}` }>;

/** Fields that are empty in a new message. Its event leaves them out. */
export const BARE = {
  delivered_at: null,
  read_at: null,
  confirmation: null,
  ai_model: null,
  tokens: null,
  latency_ms: null,
  cost_usd: null,
  error: null,
  sent_by: null,
  send_at: null,
  interactive: null,
  interactive_reply: null,
  reply_to: null,
  sender: null,
  edited_at: null,
  deleted_at: null,
} as const;

/** The fields of a message that the page shows. */
export type ShownMessage = Pick<
  Message,
  | 'id'
  | 'conversation_id'
  | 'platform'
  | 'direction'
  | 'content'
  | 'attachments'
  | 'status'
  | 'created_at'
  | keyof typeof BARE
>;
