import { statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import type { StoredRow } from '../../core/database/stored-row';
import { insertEvents } from '../../core/events/event.rows';
import { EXPECTS_REPLY, requestReply } from './reply-request.rows';
import { attachmentsOf, insertAttachments, type AttachmentsColumn } from '../../media/message-attachments.rows';
import type { MessageRow } from '../message.rows';
import type { AlbumEntity } from '../entities/album.entity';

/** An album is closed this long after its last item: a platform sends all items within about a second. */
const OPEN = `now() + interval '2 seconds'`;

/** The lease is short, because closing an album takes one statement. */
export const DUE_ALBUMS = {
  table: 'albums',
  key: 'message_id',
  environment: 'environment',
  columns: 'message_id',
  leaseSeconds: 3,
};

/**
 * Stores an open album beside the message of its first item. $14: account.
 * @param key, captionItem, sentAt placeholders
 */
export const openAlbum = (key: string, captionItem: string, sentAt: string) => `
  album AS (
    INSERT INTO albums (message_id, environment, platform, account, album_key, caption_item, sent_at, next_at)
    SELECT id, environment, $3, $14, ${key}::text, ${captionItem}::integer, ${sentAt}::timestamptz, ${OPEN} FROM message
  )`;

/**
 * Adds an item to an open album: an attachment, and the content if it has the first caption. $3: the platform's id of the item,
 * $4: album, $5: content, $6: whether it has a caption, $7: attachments, $8: time, $9: account. An item that is known adds nothing.
 */
export const ADD_ITEM = statement(
  'album-add-item',
  `WITH known AS (
     SELECT FROM messages
     WHERE environment = $1::environment AND platform = $2::text AND account = $9::text AND received_id = $3::text
     UNION ALL
     SELECT FROM message_parts
     WHERE environment = $1 AND platform = $2 AND account = $9 AND platform_message_id = $3 AND status = 'received'
   ),
   album AS (
     UPDATE albums SET items = items + 1, next_at = ${OPEN},
       caption_item = coalesce(caption_item, CASE WHEN $6::boolean THEN items + 1 END)
     WHERE environment = $1 AND platform = $2 AND account = $9 AND album_key = $4::text AND NOT EXISTS (SELECT FROM known)
     RETURNING message_id AS id, environment, items, caption_item
   ),
   caption AS (
     UPDATE messages SET content = $5::text,
       options = coalesce(options, '{}') || jsonb_build_object('caption_item', (SELECT items FROM album))
     WHERE id = (SELECT id FROM album WHERE caption_item = items)
   ),
   part AS (
     INSERT INTO message_parts (message_id, part_index, environment, platform, account, platform_message_id, status, recorded_at)
     SELECT id, items - 1, environment, $2, $9, $3, 'received', $8::timestamptz FROM album
   ),
   ${insertAttachments('$7', 'album')}
   SELECT (SELECT id FROM album) AS id, EXISTS (SELECT FROM known) AS known`,
);

export type AlbumMessageRow = Pick<
  MessageRow,
  | 'id'
  | 'environment'
  | 'platform'
  | 'account'
  | 'conversation_id'
  | 'content'
  | 'sender'
  | 'options'
  | 'reply_to'
  | 'traceparent'
> &
  Pick<StoredRow<AlbumEntity>, 'sent_at'> & { attachments: AttachmentsColumn };

export const ALBUM_MESSAGE = statement(
  'album-message',
  `SELECT m.id, m.environment, m.platform, m.account, m.conversation_id, m.content, m.sender, m.options, m.reply_to, m.traceparent, a.sent_at,
     ${attachmentsOf('m')} AS attachments
   FROM albums a JOIN messages m ON m.id = a.message_id WHERE a.message_id = $1::uuid`,
);

/**
 * $1: message, $2: fence, $3: events. Closes nothing if an item arrived since the claim. A message after the album may have
 * requested a reply already: the later position counts.
 */
export const CLOSE_ALBUM = statement(
  'album-close',
  `WITH album AS (
     DELETE FROM albums WHERE message_id = $1::uuid AND fence = $2::integer AND next_at <= now() RETURNING message_id
   ),
   reply AS (${requestReply(`messages JOIN album ON album.message_id = messages.id WHERE ${EXPECTS_REPLY}`)}),
   ${insertEvents('$3', 'EXISTS (SELECT FROM album)')}
   SELECT EXISTS (SELECT FROM album) AS closed`,
);

/** $1: message, $2: fence */
export const RELEASE_ALBUM = statement(
  'album-release',
  'UPDATE albums SET lease_until = NULL WHERE message_id = $1::uuid AND fence = $2::integer',
);

export const END_ALBUM_LEASES = `UPDATE albums SET lease_until = ${ENDED} WHERE lease_until > now()`;
