import { PARTICIPANT } from '../../conversations/open-conversation.rows';
import { statement } from '../../core/database/database.service';

/** The newest reaction of each person to a message, by the person's id; `emoji` is null when it was taken back. */
export type Reactions = Readonly<Record<string, { emoji: string | null; at: string }>>;

/** How many people's reactions to a message are kept: in a large group many people react. */
const MOST_PERSONS = 100;
/** No index has the platform's id of a message of one part, so it is searched among the newest of its conversation. */
const NEWEST = 1_000;

/**
 * $3: the platform's id of the message, $4: the conversation's participant, $5: who reacted, $6: emoji, $7: when. Platforms
 * deliver reactions in any order and more than once: an earlier one has no effect.
 */
export const REACT = statement(
  'message-react',
  `UPDATE messages SET options = jsonb_set(
     coalesce(options, '{}'), '{reactions}',
     coalesce(options -> 'reactions', '{}') || jsonb_build_object($5::text, jsonb_build_object('emoji', $6::text, 'at', $7::timestamptz)))
   WHERE id = (
     SELECT id FROM messages WHERE environment = $1::environment AND platform = $2::text AND received_id = $3::text
     UNION ALL
     SELECT message_id FROM message_parts
     WHERE environment = $1 AND platform = $2 AND platform_message_id = $3 AND status <> 'received'
     UNION ALL
     SELECT message_id FROM message_parts
     WHERE environment = $1 AND platform = $2 AND platform_message_id = $3 AND status = 'received'
     UNION ALL
     SELECT id FROM (
       SELECT id, platform_message_id FROM messages WHERE conversation_id = (
         SELECT id FROM conversations WHERE environment = $1 AND platform = $2
           AND participant_id = (${PARTICIPANT('$1::environment', '$2::text', '$4::text')}))
       ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}
     ) newest WHERE platform_message_id = $3
     LIMIT 1)
     AND $7 >= coalesce((options -> 'reactions' -> $5 ->> 'at')::timestamptz, '-infinity')
     AND (options -> 'reactions' ? $5 OR (
       SELECT count(*) FROM jsonb_object_keys(coalesce(options -> 'reactions', '{}'))) < ${MOST_PERSONS})`,
);
