import { quotedBy } from '../../conversations/quoted.rows';
import { PLACED } from '../../core/pagination/placement.rows';
import { statement } from '../../core/database/database.service';

/** The messages that the assistant may see. */
export const IN_CONTEXT = `coalesce(m.options ->> 'in_context', 'true') = 'true'`;
/** The participant of a conversation `c`, or the chat of its topic. */
const CHAT = `split_part(c.participant_id, '/', 1)`;
/**
 * SQL of the columns from which `contentOf` makes the words of a message `m` in a conversation `c`. Only in a group is the speaker
 * named: its messages come from others than the conversation's participant.
 */
export const WORDS = `m.direction, m.content, m.options, m.sent_by, m.reply_to, ${quotedBy('m')} AS quoted,
  CASE WHEN m.direction = 'inbound' AND m.sender ->> 'id' <> ${CHAT} AND NOT EXISTS (
    SELECT FROM participant_aliases a WHERE a.environment = m.environment AND a.platform = m.platform
      AND a.account = m.account AND a.alias = m.sender ->> 'id' AND a.participant_id = ${CHAT}
  ) THEN coalesce(m.sender ->> 'name', m.sender ->> 'username', m.sender ->> 'id') END AS speaker`;
const COLUMNS = `m.id, m.seq, m.traceparent, m.created_at, m.has_attachments, m.sender ->> 'id' AS sender_id, ${WORDS}`;
const newest = (limit: string) => `ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit}`;
/** The clocks of instances differ: up to this many messages may be out of order by their times. */
const OUT_OF_ORDER = 50;
/** The messages after a position, and some before it, so that a long conversation is not read to its beginning. */
const messagesAfter = (position: string) => `(
       SELECT m.* FROM messages m WHERE m.conversation_id = $1 AND m.${PLACED}
       ${newest(`(
         SELECT CASE WHEN $5::integer IS NOT NULL THEN least(c.message_count - ${position}, $5) + ${OUT_OF_ORDER} END FROM conversation c
       )`)}
     ) m`;

/**
 * Reads everything that a reply needs in one statement, instead of five in sequence (ADR 34). $2 and $3 are the task's answered
 * and requested positions, $4 is the largest number of messages to return, $5 the number to read (null: all).
 *
 * `open` are the messages to answer. Unanswered messages from before the watermark count as well: a cleared context must not
 * leave a person without an answer. `earlier` is what comes before that, after the watermark. An answer belongs
 * to `earlier` even if messages arrived before it was stored: in the order of storage it would come after them, and the model
 * would see the messages that it has already answered as new.
 *
 * Messages from before the last change of `handling` are not answered: they are context, as are those that people wrote meanwhile.
 *
 * An answer that is being sent must arrive before the next one is made. Its position is after the messages that it answers.
 *
 * `recent_answers` are the answers since $6 and since the assistant got the conversation: many of them mean a loop with a machine.
 */
export const REPLY_CONTEXT = statement(
  'reply-context',
  `WITH conversation AS (
     SELECT platform, account, participant_id, participant_name, participant_username, address, handling, handling_seq, cleared_seq, message_count
     FROM conversations WHERE id = $1::uuid
   ),
   open AS (
     SELECT ${COLUMNS}, true AS is_open FROM ${messagesAfter('$2::integer')} CROSS JOIN conversation c
     WHERE m.direction = 'inbound' AND m.seq > $2 AND m.seq > c.handling_seq AND m.seq <= $3::integer AND ${IN_CONTEXT}
     ${newest('$4::integer')}
   ),
   earlier AS (
     SELECT ${COLUMNS}, false AS is_open FROM ${messagesAfter('c.cleared_seq')} CROSS JOIN conversation c
     WHERE m.status NOT IN ('failed', 'scheduled', 'cancelled') AND m.seq > c.cleared_seq AND ${IN_CONTEXT}
       AND (m.direction = 'outbound' OR m.seq <= greatest($2, c.handling_seq))
     ${newest('$4 - (SELECT count(*) FROM open)')}
   )
   SELECT m.*, c.platform, c.account, c.participant_id, c.participant_name, c.participant_username, c.address, c.handling,
     c.handling_seq, c.cleared_seq, (
     SELECT count(*)::int FROM messages answer
     WHERE answer.conversation_id = $1 AND answer.created_at > $6::timestamptz AND answer.ai_model IS NOT NULL
       AND answer.seq > c.handling_seq
   ) AS recent_answers, EXISTS (
     SELECT FROM ${messagesAfter('$2')}
     WHERE m.seq > $2 AND m.ai_model IS NOT NULL AND m.status = 'pending'
   ) AS is_answer_under_way
   FROM conversation c LEFT JOIN (SELECT * FROM open UNION ALL SELECT * FROM earlier) m ON true
   ORDER BY m.is_open, m.created_at, m.id`,
);

/** The newest messages are read first. */
export const AT_POSITION = statement(
  'reply-at-position',
  `SELECT id FROM messages m WHERE conversation_id = $1 AND seq = $2 ${newest('1')}`,
);
