import { PARTICIPANT } from '../../conversations/open-conversation.rows';
import { statement } from '../../core/database/database.service';
import { messageWithPlatformId } from '../quotations/quotations.rows';

/** The newest reaction of each person to a message, by the person's id; `emoji` is null when it was taken back. */
export type Reactions = Readonly<Record<string, { emoji: string | null; at: string }>>;

/** How many people's reactions to a message are kept: in a large group many people react. */
const MOST_PERSONS = 100;
/**
 * $3: the platform's id of the message, $4: the conversation's participant, $5: who reacted, $6: emoji, $7: when, $8: account. Platforms
 * deliver reactions in any order and more than once: an earlier one has no effect.
 */
export const REACT = statement(
  'message-react',
  `UPDATE messages SET options = jsonb_set(
     coalesce(options, '{}'), '{reactions}',
     coalesce(options -> 'reactions', '{}') || jsonb_build_object($5::text, jsonb_build_object('emoji', $6::text, 'at', $7::timestamptz)))
   WHERE id = (${messageWithPlatformId(
     '$1::environment',
     '$2::text',
     '$8::text',
     '$3::text',
     `(SELECT id FROM conversations WHERE environment = $1 AND platform = $2 AND account = $8
          AND participant_id = (${PARTICIPANT('$1::environment', '$2::text', '$8::text', '$4::text')}))`,
   )})
     AND $7 >= coalesce((options -> 'reactions' -> $5 ->> 'at')::timestamptz, '-infinity')
     AND (options -> 'reactions' ? $5 OR (
       SELECT count(*) FROM jsonb_object_keys(coalesce(options -> 'reactions', '{}'))) < ${MOST_PERSONS})`,
);
