import { leaveOut } from '../../messages/handover/left-out.rows';
import { acceptStatement, type Attached, type AttachedPlaceholders } from '../../messages/send/outbound.rows';
import { billAnswers } from '../usage/usage.rows';

const IS_HELD = 'EXISTS (SELECT FROM task)';
/** Whether the assistant has had the conversation since it began the answer: no takeover, no request for a person. */
const IS_ASSISTANTS = '(SELECT is_assistants FROM locked)';

/**
 * Locks the conversation before the task, as the statement that stores an inbound message does. If a person has taken the
 * conversation over meanwhile, or another instance the task, it only bills the answer. If the context was cleared while the
 * answer was made, the answer is not part of later contexts.
 */
export const STORE_ANSWER = acceptStatement('reply-answer', storeAnswer);

/** The messages that it answers leave the context, because a model declined to answer them. */
export const STORE_ANSWER_AFTER_REFUSAL = acceptStatement('reply-answer-after-refusal', (at) => {
  const { first, ...rest } = storeAnswer(at);
  const leftOut = leaveOut(at.own(7), at.own(8), at.own(9));
  return { first: `${first}, left_out AS (${leftOut} AND ${IS_HELD})`, ...rest };
});

function storeAnswer({ conversationId, options, own }: AttachedPlaceholders): Attached {
  return {
    first: `
    locked AS (
      SELECT cleared_seq, handling = 'assistant' AND handling_seq = ${own(6)}::integer AS is_assistants
      FROM conversations WHERE id = ${conversationId}::uuid FOR NO KEY UPDATE
    ),
    task AS (
      UPDATE reply_tasks SET answered_seq = greatest(answered_seq, ${own(1)}::integer), failures = 0, last_error = NULL
      WHERE conversation_id = ${conversationId} AND fence = ${own(0)}::integer AND EXISTS (SELECT FROM locked) RETURNING 1
    ),
    ${billAnswers(own(2), `(CASE WHEN ${IS_ASSISTANTS} THEN ${own(3)}::text ELSE ${own(4)}::text END)`, IS_HELD)}`,
    condition: `${IS_HELD} AND ${IS_ASSISTANTS}`,
    options: `CASE WHEN (SELECT cleared_seq FROM locked) > ${own(5)}::integer
    THEN ${options}::jsonb || '{"in_context": false}' ELSE ${options}::jsonb END`,
  };
}
