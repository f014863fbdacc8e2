import { UNPLACED } from '../core/pagination/placement.rows';

/**
 * Common table expressions that give the messages of `due` (`message_id`) their places in their conversations, in the order
 * of their times.
 */
export const PLACES = `
   unplaced AS (
     SELECT m.id, m.conversation_id, row_number() OVER own AS number, count(*) OVER (PARTITION BY m.conversation_id) AS messages
     FROM due JOIN messages m ON m.id = due.message_id
     WHERE m.status = 'scheduled' AND m.created_at = ${UNPLACED}
     WINDOW own AS (PARTITION BY m.conversation_id ORDER BY m.send_at, m.id)
   ),
   counted AS (
     UPDATE conversations c SET status = CASE WHEN c.merged_into IS NULL THEN 'active' ELSE c.status END,
       message_count = c.message_count + unplaced.messages,
       last_message_at = greatest(c.last_message_at, statement_timestamp())
     FROM unplaced WHERE unplaced.conversation_id = c.id AND unplaced.number = 1
     RETURNING c.id, c.message_count - unplaced.messages AS before
   ),
   placed AS (
     SELECT unplaced.id, counted.before + unplaced.number AS seq
     FROM unplaced JOIN counted ON counted.id = unplaced.conversation_id
   )`;

/** SQL of the assignments to a message `m` of `due`; an earlier version gave a scheduled message its place when it was stored. */
export const PLACE = `seq = coalesce((SELECT seq FROM placed WHERE placed.id = m.id), m.seq),
       created_at = CASE WHEN m.created_at = ${UNPLACED} THEN statement_timestamp() ELSE m.created_at END`;
