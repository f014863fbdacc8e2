import { OPEN_CONVERSATION } from '../../conversations/open-conversation.rows';
import { clampedTimestamp } from '../counts/watermark.rows';
import { statement } from '../../core/database/database.service';
import { insertEvents } from '../../core/events/event.rows';
import { insertMessage } from '../message.rows';

const CREATED_AT = clampedTimestamp('$5');

/**
 * Stores a colleague's message from the business's phone. Its platform id is its `received_id`, as for an inbound message, so
 * that it is stored once, and edits find it. A message that the gateway itself sent is known already.
 *
 * $1: id, $2: environment, $3: platform, $4: the platform's id, $5: time, $6: the conversation's id, $7: the participant's id,
 * $8: address, $9: content, $10: kind, $11: the business's number as sender, $12: when it was written, $13: events,
 * $14: the digest of the platform's id (`ErasedIds`), $15 and $16: the quoted message and the options, $17: account.
 */
export const STORE_ECHO = statement(
  'inbound-store-echo',
  `WITH known AS (
     SELECT FROM messages
     WHERE environment = $2::environment AND platform = $3::text AND account = $17::text AND received_id = $4::text
     UNION ALL
     SELECT FROM message_parts WHERE environment = $2 AND platform = $3 AND account = $17 AND platform_message_id = $4
     UNION ALL
     SELECT FROM erased_message_ids WHERE digest = $14::bytea
   ),
   conversation AS (${OPEN_CONVERSATION(
     `SELECT $6::uuid, $2, $3, $17, $7, NULL, NULL, $8::text, 'active', 1, ${CREATED_AT}, ${CREATED_AT}, NULL::timestamptz
      WHERE NOT EXISTS (SELECT FROM known)`,
   )}),
   message AS (${insertMessage(
     {
       id: '$1::uuid',
       environment: '$2',
       conversation_id: 'id',
       seq: 'message_count',
       platform: '$3',
       account: '$17',
       direction: `'outbound'`,
       kind: '$10::text',
       content: '$9::text',
       status: `'sent'`,
       sent_by: `'phone'`,
       sender: '$11::jsonb',
       reply_to: '$15::uuid',
       options: '$16::jsonb',
       received_id: '$4',
       created_at: CREATED_AT,
       sent_at: '$12::timestamptz',
     },
     'FROM conversation RETURNING 1',
   )}),
   ${insertEvents('$13', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS stored, EXISTS (SELECT FROM known) AS known`,
);

export interface StoredRow {
  stored: boolean;
  known: boolean;
}
