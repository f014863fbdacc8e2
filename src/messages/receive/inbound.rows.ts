import { OPEN_CONVERSATION } from '../../conversations/open-conversation.rows';
import { statement } from '../../core/database/database.service';
import { insertEvents } from '../../core/events/event.rows';
import { EXPECTS_REPLY, requestReply } from './reply-request.rows';
import { insertAttachments } from '../../media/message-attachments.rows';
import { openAlbum } from './albums.rows';
import { INBOUND_COLUMNS, insertMessage } from '../message.rows';
import { clampedTimestamp } from '../counts/watermark.rows';

const { placeholders: bound } = INBOUND_COLUMNS;
const CREATED_AT = clampedTimestamp('$5');

/**
 * A message that arrives while the assistant does not have the conversation is never answered, not even later.
 * The conversation's row is locked here, so that a handover comes either before or after the message.
 */
const OPTIONS = `CASE WHEN handling <> 'assistant' THEN coalesce(${bound.options}::jsonb, '{}') || '{"expects_reply": false}' ELSE ${bound.options}::jsonb END`;

/**
 * Stores a message in one statement. A duplicate changes nothing. A concurrent duplicate waits for the conversation's row,
 * violates the unique key of the platform's ids and is rolled back; its retry finds the message.
 * Messages that are older than `received_id` have their platform id in `message_parts`.
 *
 * $1: id, $2: environment, $3: platform, $4: the platform's id, $5: time, $6: the conversation's id, $7 to $10: the
 * participant's id, name, username and address, $11: events, $12: when the participant wrote, $13: the digest of the
 * platform's id (`ErasedIds`), $14: account, and then `INBOUND_COLUMNS`.
 */
const storeInbound = (name: string, attached = '', reply = 'true') =>
  statement(
    name,
    `WITH known AS (
     SELECT FROM messages
     WHERE environment = $2::environment AND platform = $3::text AND account = $14::text AND received_id = $4::text
     UNION ALL
     SELECT FROM message_parts
     WHERE environment = $2 AND platform = $3 AND account = $14 AND platform_message_id = $4 AND status = 'received'
     UNION ALL
     SELECT FROM erased_message_ids WHERE digest = $13::bytea
   ),
   conversation AS (${OPEN_CONVERSATION(
     `SELECT $6::uuid, $2, $3, $14, $7, $8, $9, $10, 'active', 1, ${CREATED_AT}, ${CREATED_AT}, $12::timestamptz
      WHERE NOT EXISTS (SELECT FROM known)`,
   )}),
   message AS (${insertMessage(
     {
       id: '$1',
       environment: '$2',
       conversation_id: 'id',
       seq: 'message_count',
       platform: '$3',
       account: '$14',
       direction: `'inbound'`,
       status: `'received'`,
       received_id: '$4',
       created_at: CREATED_AT,
       ...bound,
       options: OPTIONS,
     },
     'FROM conversation RETURNING id, conversation_id, environment, seq, options',
   )}),
   reply AS (${requestReply(`message WHERE ${reply} AND ${EXPECTS_REPLY}`)}),
   ${attached}
   ${insertEvents('$11', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS stored, EXISTS (SELECT FROM known) AS known`,
  );

export const STORE_INBOUND = storeInbound('inbound-store');

/** A message with attachments: it binds their rows last. */
export const STORE_WITH_ATTACHMENTS = storeInbound(
  'inbound-store-attachments',
  `${insertAttachments(`$${INBOUND_COLUMNS.next}`, 'message')},`,
);

/** The first item of an album: its event and its reply follow when the album is closed. */
export const STORE_ALBUM = storeInbound(
  'inbound-store-album',
  `${insertAttachments(`$${INBOUND_COLUMNS.next}`, 'message')},
   ${openAlbum(`$${INBOUND_COLUMNS.next + 1}`, `$${INBOUND_COLUMNS.next + 2}`, `$${INBOUND_COLUMNS.next + 3}`)},`,
  'false',
);
