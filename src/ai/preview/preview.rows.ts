import type { Platform } from '#contracts';
import { statement } from '../../core/database/database.service';
import type { WordsRow } from '../assistant/message-words';
import { IN_CONTEXT, WORDS } from '../assistant/reply-context.rows';

/** How far the clocks of instances may differ. */
const SKEW = `interval '5 seconds'`;

/** The message that is answered: $3, the message that $3 answers, or the newest inbound one. */
export const TARGET = statement(
  'preview-target',
  `WITH conversation AS (SELECT id, cleared_seq, platform, account FROM conversations WHERE id = $1 AND environment = $2)
   SELECT c.cleared_seq, c.platform, c.account, m.id, m.created_at, m.answers_from, m.through FROM conversation c LEFT JOIN LATERAL (
     SELECT m.id, m.created_at, m.answers_from,
       CASE WHEN m.direction = 'inbound' THEN m.seq ELSE coalesce(m.answers_to, m.seq - 1) END AS through
     FROM messages m
     WHERE m.conversation_id = c.id AND CASE WHEN $3::uuid IS NULL THEN m.direction = 'inbound' ELSE m.id = $3 END
     ORDER BY m.created_at DESC, m.id DESC LIMIT 1
   ) m ON true`,
);

export interface TargetRow {
  cleared_seq: number;
  platform: Platform;
  account: string;
  /** UUID of the message. */
  id: string | null;
  /** Null without such a message. */
  created_at: Date | null;
  /** The first position that the message answers; null for an inbound one. */
  answers_from: number | null;
  through: number | null;
}

/**
 * The context that the assistant had for its answer, newest first. $2: the message's time, $3 and $4: positions, $5: how many, $6: the
 * message, or $7: the first position that it answers. Models may have refused these messages: another one may answer them.
 */
export const PAST_CONTEXT = statement(
  'preview-context',
  `SELECT m.id, m.has_attachments, ${WORDS} FROM messages m JOIN conversations c ON c.id = m.conversation_id
   WHERE m.conversation_id = $1 AND m.created_at <= $2::timestamptz + ${SKEW} AND m.seq <= $3 AND m.seq > $4
     AND m.status NOT IN ('failed', 'scheduled', 'cancelled') AND (${IN_CONTEXT} OR m.id = $6
       OR (m.direction = 'inbound' AND m.seq >= $7::integer AND coalesce(m.options ->> 'expects_reply', 'true') = 'true'))
   ORDER BY m.created_at DESC, m.id DESC LIMIT $5`,
);

export interface PastMessage extends WordsRow {
  id: string;
  has_attachments: boolean;
}
