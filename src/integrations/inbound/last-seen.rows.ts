import { statement } from '../../core/database/database.service';

/** The newest stored inbound message in each of the $3 most recently active conversations. */
export const LAST_SEEN = statement(
  'last-seen',
  `SELECT conversation.participant_id AS "participantId", conversation.participant_name AS "participantName",
     conversation.address, newest.id AS "platformMessageId"
   FROM (
     SELECT id, participant_id, participant_name, address, last_message_at FROM conversations
     WHERE environment = $1 AND platform = $2 AND account = $4::text
     ORDER BY last_message_slot DESC, last_message_at DESC, id DESC LIMIT $3::integer
   ) conversation
   CROSS JOIN LATERAL (
     SELECT coalesce(message.received_id, part.platform_message_id) AS id FROM messages message
     LEFT JOIN message_parts part ON part.message_id = message.id AND part.part_index = 0
     WHERE message.conversation_id = conversation.id AND message.direction = 'inbound'
       AND coalesce(message.received_id, part.platform_message_id) IS NOT NULL
     ORDER BY message.created_at DESC, message.id DESC LIMIT 1
   ) newest
   ORDER BY conversation.last_message_at DESC, conversation.id DESC`,
);
