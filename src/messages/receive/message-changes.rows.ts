import { PARTICIPANT } from '../../conversations/open-conversation.rows';
import { statement } from '../../core/database/database.service';
import { insertEvents } from '../../core/events/event.rows';

/** Former contents that are kept. Older ones are dropped, because every edit writes all of them again. */
export const KEPT_CONTENTS = 10;

export interface ChangedMessage {
  id: string;
  conversation_id: string;
  /** The position of the platform's message in the stored one, from 1: an album is one stored message. */
  item: number;
}

/**
 * The stored message that holds a message of the platform. Messages that are older than `received_id`, and the items of
 * albums, have their platform id in `message_parts`.
 */
export const FIND_CHANGED = statement(
  'inbound-find-changed',
  `SELECT id, conversation_id, 1 AS item FROM messages
   WHERE environment = $1 AND platform = $2 AND account = $4 AND received_id = $3
   UNION ALL
   SELECT m.id, m.conversation_id, p.part_index + 1 FROM message_parts p JOIN messages m ON m.id = p.message_id
   WHERE p.environment = $1 AND p.platform = $2 AND p.account = $4 AND p.platform_message_id = $3 AND p.status = 'received'
   LIMIT 1`,
);

/** The item of an album whose caption is the album's content; null for other messages, and for an album without a caption. */
const CAPTION_ITEM = `(m.options ->> 'caption_item')::integer`;

const CHANGED_AT = `coalesce((options ->> 'changed_at')::timestamptz, '-infinity')`;

/**
 * $1: environment, $2: platform, $3: message, $4: content, $5: whether the message is deleted, $6: when it changed, $7: who changed
 * it (null: the platform does not tell), $8: position of the item, $9: events, $10: account. The platform may have used another id of the
 * author when the message came. Platforms deliver changes in any order and more than once: an earlier change, one after the
 * deletion, or one to the same content has no effect. An edit keeps the former contents; a deletion removes them, and the
 * quotation and the data. An edit of an album counts for the item that has its caption, or gives it one. Telegram and WhatsApp
 * give times in whole seconds: an edit in the second of the last one counts, unless its content is a former one, because then
 * the platform delivers an edit again.
 */
export const CHANGE_INBOUND = statement(
  'inbound-change',
  `WITH message AS (
     UPDATE messages m SET content = $4::text,
       reply_to = CASE WHEN $5 THEN NULL ELSE reply_to END,
       options = CASE WHEN $5 THEN coalesce(options, '{}') - '{former_contents,data,quoted}'::text[]
         ELSE jsonb_set(coalesce(options, '{}'), '{former_contents}', jsonb_path_query_array(
           coalesce(options -> 'former_contents', '[]') || to_jsonb(content), '$[last - ${KEPT_CONTENTS - 1} to last]')) END
         || jsonb_build_object('changed_at', $6::timestamptz, 'deleted', $5::boolean)
         || CASE WHEN NOT $5 AND has_attachments THEN jsonb_build_object('caption_item', $8::integer) ELSE '{}' END
     WHERE id = $3::uuid
       AND ($7::text IS NULL OR
         (${PARTICIPANT('$1::environment', '$2::text', '$10::text', "sender ->> 'id'")}) = (${PARTICIPANT('$1', '$2', '$10', '$7')}))
       AND NOT coalesce((options ->> 'deleted')::boolean, false)
       AND ($5 OR content <> $4 AND coalesce(${CAPTION_ITEM}, $8) = $8
         AND ($6::timestamptz > ${CHANGED_AT} OR $6 = ${CHANGED_AT} AND NOT coalesce(options -> 'former_contents' ? $4, false)))
     RETURNING 1
   ),
   ${insertEvents('$9', 'EXISTS (SELECT FROM message)')}
   SELECT id FROM event`,
);
