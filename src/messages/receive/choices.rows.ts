import { WITH_MERGED } from '../../conversations/open-conversation.rows';
import { statement } from '../../core/database/database.service';

/** Our message of a conversation with a platform's id. $1: environment, $2: platform, $3: the id, $4: conversation. */
export const OFFER = statement(
  'choice-offer',
  `SELECT m.id, m.options -> 'interactive' AS interactive
   FROM message_parts p JOIN messages m ON m.id = p.message_id
   WHERE p.environment = $1::environment AND p.platform = $2::text AND p.platform_message_id = $3::text
     AND p.status <> 'received' AND m.conversation_id IN ${WITH_MERGED('$4::uuid')}
   ORDER BY p.recorded_at DESC LIMIT 1`,
);

/** The newest message with numbered lines as options, sent within 24 hours. A scheduled one is stored up to 30 days before. */
export const NUMBERED_OFFER = statement(
  'choice-numbered-offer',
  `SELECT m.id, m.options -> 'interactive' AS interactive FROM messages m
   WHERE m.conversation_id IN ${WITH_MERGED('$1::uuid')} AND m.created_at > now() - interval '31 days' AND m.direction = 'outbound'
     AND m.options -> 'interactive' ->> 'numbered' = 'true' AND m.sent_at > now() - interval '24 hours'
     AND m.status IN ('sent', 'delivered')
   ORDER BY m.sent_at DESC LIMIT 1`,
);

export const LOCK_CONVERSATION = statement(
  'choice-lock',
  'SELECT 1 FROM conversations WHERE id = $1::uuid FOR NO KEY UPDATE',
);

/** Whether the same tap was stored in the last minute. $1: conversation, $2: option, $3: message, $4: person. */
export const COUNTED = statement(
  'choice-counted',
  `SELECT 1 FROM messages
   WHERE conversation_id = $1::uuid AND created_at > now() - interval '60 seconds' AND direction = 'inbound'
     AND options -> 'interactive_reply' ->> 'id' IS NOT DISTINCT FROM $2::text
     AND options -> 'interactive_reply' ->> 'message_id' IS NOT DISTINCT FROM $3::text
     AND sender ->> 'id' = $4::text AND options ? 'interactive_reply'
   LIMIT 1`,
);
