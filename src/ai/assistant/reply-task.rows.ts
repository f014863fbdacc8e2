import { COMMIT_WITHOUT_WAITING, statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { PLACED } from '../../core/pagination/placement.rows';
import { isUnanswered } from '../../conversations/list/unanswered.rows';
import { insertEvents } from '../../core/events/event.rows';
import { billAnswers } from '../usage/usage.rows';

export const ANSWERED = statement(
  'reply-answered',
  `UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), last_error = $4::jsonb
   WHERE conversation_id = $1 AND fence = $2 RETURNING 1`,
);

/**
 * SQL column of a claimed task: its lease had not been released, so the process that held it died. A subquery sees the row as it
 * was before the claim.
 */
export const WAS_INTERRUPTED = `(
  SELECT held.lease_until FROM reply_tasks held WHERE held.conversation_id = reply_tasks.conversation_id
) IS NOT NULL AS was_interrupted`;

/** A process that died is a fault of the gateway. */
export const INTERRUPTED = statement(
  'reply-interrupted',
  'UPDATE reply_tasks SET faults = faults + 1 WHERE conversation_id = $1 AND fence = $2 RETURNING faults',
);

/** If a crash of PostgreSQL undoes it, the lease runs out, and the next holder finds nothing left to answer. */
export const FINISH = statement(
  'reply-finish',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, faults = 0, admitted = false, request_id = NULL,
     next_at = CASE WHEN requested_seq > answered_seq THEN now() END
   WHERE conversation_id = $1 AND fence = $2
   RETURNING next_at IS NULL AS "isDone", ${COMMIT_WITHOUT_WAITING}`,
);

/** $1: conversation */
export const DROP = statement('reply-drop', 'DELETE FROM reply_tasks WHERE conversation_id = $1');

export const LATER = statement(
  'reply-later',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, next_at = now() + interval '1 second' WHERE conversation_id = $1 AND fence = $2`,
);

export const GIVE_UP = statement(
  'reply-give-up',
  `WITH conversation AS (SELECT id, handling_seq FROM conversations WHERE id = $1::uuid FOR NO KEY UPDATE),
   given_up AS (
     UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), lease_until = NULL, attempts = 0, faults = 0,
       admitted = false, request_id = NULL, given_up_at = CASE WHEN $5 THEN now() ELSE given_up_at END,
       next_at = CASE WHEN requested_seq > $3 THEN now() END,
       failures = CASE WHEN failed_seq > handling_seq THEN failures + 1 ELSE 1 END, failed_seq = $3, last_error = $6::jsonb
     FROM conversation WHERE conversation_id = conversation.id AND fence = $2 RETURNING failures
   ),
   ${insertEvents('$4', 'EXISTS (SELECT FROM given_up)')}
   SELECT failures FROM given_up`,
);

/**
 * Bills a call whose answer is no message. $3: the answered position, $4: the position of the last change of `handling` when the
 * call began, $5: the bill, $6: events, $7: events if a person has the conversation by now.
 */
export const BILLED = statement(
  'reply-billed',
  `WITH conversation AS (
     SELECT id, handling = 'assistant' AND handling_seq = $4::integer AS is_assistants
     FROM conversations WHERE id = $1::uuid FOR NO KEY UPDATE
   ),
   task AS (
     UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), failures = 0, last_error = NULL
     FROM conversation WHERE conversation_id = conversation.id AND fence = $2::integer RETURNING is_assistants
   ),
   ${billAnswers('$5', '(SELECT CASE WHEN is_assistants THEN $6::text ELSE $7::text END FROM conversation)', 'EXISTS (SELECT FROM task)')}
   SELECT is_assistants AS "isAssistants" FROM task`,
);

/** `attempts` is kept, because the pauses grow with it, and `faults`, because files may have caused them. */
export const RETRY = statement(
  'reply-retry',
  `WITH retried AS (
     UPDATE reply_tasks SET lease_until = NULL, admitted = true, request_id = $4, last_error = $6::jsonb,
       next_at = now() + make_interval(secs => $3)
     WHERE conversation_id = $1 AND fence = $2 RETURNING 1
   ),
   ${insertEvents('$5', 'EXISTS (SELECT FROM retried)')}
   SELECT EXISTS (SELECT FROM retried) AS recorded`,
);

/** Messages that the assistant reads to find the ones that have no answer. */
const NEWEST = 100;

/**
 * Asks the assistant again about the messages after the last outbound one. Returns the position of that one, or no row if the
 * conversation is not unanswered. $1: the conversation, which is locked
 */
export const ASK_AGAIN = statement(
  'reply-ask-again',
  `UPDATE reply_tasks task SET answered_seq = least(task.answered_seq, last.seq), last_error = NULL, request_id = NULL,
     admitted = false, attempts = 0, faults = 0, lease_until = NULL, next_at = now()
   FROM conversations, (
     SELECT coalesce(max(seq) FILTER (WHERE direction = 'outbound'), min(seq) - 1) AS seq FROM (
       SELECT seq, direction FROM messages WHERE conversation_id = $1::uuid AND ${PLACED}
       ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}
     ) newest
   ) last
   WHERE task.conversation_id = $1 AND conversations.id = $1 AND ${isUnanswered('task', 'conversations')}
   RETURNING last.seq`,
);

export const WAIT = statement(
  'reply-wait',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, admitted = true, next_at = now() + make_interval(secs => $3)
   WHERE conversation_id = $1 AND fence = $2`,
);

export const HELD = statement('reply-held', `SELECT 1 FROM reply_tasks WHERE conversation_id = $1 AND fence = $2`);

export const END_REPLY_LEASES = `
  UPDATE reply_tasks SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

/** In a restored database: messages without an answer were answered after the backup, or are too old for an answer. */
export const DROP_REPLIES = `
  UPDATE reply_tasks SET answered_seq = greatest(answered_seq, requested_seq), next_at = NULL, lease_until = NULL,
    fence = fence + 1, attempts = 0, faults = 0, admitted = false, request_id = NULL
  WHERE next_at IS NOT NULL`;
