import { statement } from '../../core/database/database.service';
import { attachmentsOf } from '../../media/message-attachments.rows';
import { WATERMARK } from '../../core/counts/watermark.rows';

/** Maximum number of messages that one search returns. */
export const BATCH = 1_000;

/** Unfinished messages since $1: a search reads only the newest messages. */
const SINCE = `environment = ANY ('{live,test}'::environment[]) AND created_at >= $1::timestamptz
  AND status IN ('pending', 'sent')`;

/** Unnamed, so that PostgreSQL plans it for its values each time: a generic plan would read the whole table. */
export const FIND_ABANDONED = statement(
  '',
  `SELECT m.id, m.status, m.environment, m.platform, m.conversation_id AS "conversationId",
     c.participant_id AS recipient, c.participant_name AS "recipientName", m.traceparent,
     ${attachmentsOf('m')} AS attachments
   FROM (SELECT * FROM messages WHERE ${SINCE} AND lease_until < now() ORDER BY status, created_at LIMIT ${BATCH}) m
   JOIN conversations c ON c.id = m.conversation_id`,
);

/** $2: the deadline of the claim (see claimDeadline). If the former process still lives, it has lost the lease. */
export const ADOPT = statement(
  'sends-adopt',
  `WITH message AS (
     UPDATE messages SET lease_until = NULL WHERE id IN (
       SELECT id FROM messages
       WHERE id = ANY ($1::uuid[]) AND status = 'pending' AND lease_until < now() AND now() < $2::timestamptz
       FOR UPDATE SKIP LOCKED
     )
     RETURNING id, write_started_at
   )
   INSERT INTO message_tasks (message_id, write_started_at, next_at, fence, attempts)
   SELECT id, write_started_at, now(), 1, 1 FROM message
   ON CONFLICT DO NOTHING`,
);

export const BOUND = statement('sends-bound', `SELECT through FROM rollups WHERE name = 'sends'`);

/** No message that is older than the bound has a lease or will get one, so the next search begins there. */
export const MOVE_BOUND = statement(
  '',
  `UPDATE rollups SET through = greatest(through, least(
     ${WATERMARK}, (SELECT min(created_at) FROM messages WHERE ${SINCE} AND lease_until IS NOT NULL)
   )) WHERE name = 'sends'`,
);
