import type { Message } from '#client';
import type { LiveEvent } from '../live-event';

export type MessageEvent = Extract<LiveEvent, { type: `message.${string}` }>;

/** An event of a new message leaves out fields that are empty at first. */
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
} as const;

/** The fields that pages show. A field that only the API has needs no value here. */
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
