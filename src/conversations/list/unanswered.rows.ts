import { statement } from '../../core/database/database.service';

/**
 * SQL condition: the assistant failed to answer the newest message of the conversation, and no process is answering it now. A
 * later message of any author ends that, and so does a handover.
 * @param task alias of the row of `reply_tasks`, `conversation` of that of `conversations`
 */
export const isUnanswered = (task: string, conversation: string) => `(
  ${task}.last_error IS NOT NULL AND ${task}.requested_seq = ${conversation}.message_count
  AND ${conversation}.handling = 'assistant' AND ${conversation}.erased_at IS NULL
  AND (${task}.next_at IS NULL OR ${task}.request_id IS NOT NULL AND coalesce(${task}.lease_until, '-infinity') <= now())
)`;

/** SQL of `last_error` and `next_try_at` of a row of `conversations`. A table to join; it has at most one row. */
export const LAST_ERROR = `LATERAL (
  SELECT task.last_error, task.next_at AS next_try_at FROM reply_tasks task
  WHERE task.conversation_id = conversations.id AND ${isUnanswered('task', 'conversations')}
)`;

/** $1: the conversation */
export const FIND_ERROR = statement(
  'conversation-last-error',
  `SELECT last_error, next_try_at FROM conversations JOIN ${LAST_ERROR} failed ON true WHERE id = $1`,
);
