import { statement } from '../../core/database/database.service';

/** Who wrote a message. $1: the message */
export const AUTHOR = statement(
  'transcript-author',
  `SELECT m.platform, coalesce(m.sender ->> 'id', c.participant_id) AS sender_id
   FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $1::uuid`,
);
