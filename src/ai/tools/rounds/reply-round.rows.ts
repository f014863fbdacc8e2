import type { ToolCallStatus } from '#contracts';
import { statement } from '../../../core/database/database.service';
import { billAnswers } from '../../usage/usage.rows';
import { insertCalls } from '../calls/tool-call.rows';

/**
 * Whether the assistant still has a conversation. $1: the conversation, $2: the fence of the task, $3: the position of the last change
 * of `handling` when the answer began. No row: this process no longer has the reply.
 */
const TASK = `
  SELECT c.handling = 'assistant' AND c.handling_seq = $3::integer AS is_assistants
  FROM conversations c JOIN reply_tasks t ON t.conversation_id = c.id AND t.fence = $2::integer
  WHERE c.id = $1::uuid AND c.erased_at IS NULL`;

export const IS_WANTED = statement('reply-round-wanted', TASK);

/** Bills a round and stores its calls. $4: the bill, $5: events, $6: events if a person has the conversation by now, $7: the calls */
export const STORE_ROUND = statement(
  'reply-round-store',
  `WITH task AS (${TASK} FOR NO KEY UPDATE),
   ${billAnswers('$4', '(SELECT CASE WHEN is_assistants THEN $5::text ELSE $6::text END FROM task)', 'EXISTS (SELECT FROM task)')},
   ${insertCalls('$7', '(SELECT is_assistants FROM task)')}
   SELECT is_assistants FROM task`,
);

/** Calls older than this belong to no answer that is still made, in SQL. */
const KEPT = `interval '1 day'`;

/**
 * SQL column of a claimed task: the last position that the answer covers for which tools were called before; null: none was. The
 * answer goes on from these calls, so it covers no later messages.
 */
export const CALLED_FOR = `(
  SELECT max(answers_to) FROM tool_calls c
  WHERE c.conversation_id = reply_tasks.conversation_id AND c.answers_from = reply_tasks.answered_seq + 1
    AND c.created_at > now() - ${KEPT}
) AS called_for`;

export interface StoredCallRow {
  id: string;
  tool_id: string;
  name: string;
  arguments: object | null;
  round: number;
  said: string;
  status: ToolCallStatus | null;
  ms: number | null;
  result: string | null;
  error: string | null;
  [column: string]: unknown;
}

/** The calls of an answer's earlier attempts. $1: conversation, $2: the first position that it covers */
export const STORED_CALLS = statement(
  'reply-round-calls',
  `SELECT id, tool_id, name, arguments, round, said, status, ms, result, error FROM tool_calls
   WHERE conversation_id = $1::uuid AND answers_from = $2::integer AND created_at > now() - ${KEPT} ORDER BY round, id`,
);
