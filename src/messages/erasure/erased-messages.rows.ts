import { SEND_FAILURES, sendFailure, type SendFailureCode } from '#contracts';
import { statement } from '../../core/database/database.service';
import { isFree } from '../../core/database/lease';
import { PLACE, PLACES } from '../../conversations/message-places.rows';
import { ERASURE_BATCH } from '../../core/events/event.rows';

export const ERASED_COLUMNS = {
  messages: ['content', 'sender', 'options', 'received_id', 'platform_message_id', 'failure', 'repeats'],
  message_parts: ['platform_message_id', 'failure'],
  early_receipts: ['platform_message_id', 'failure'],
  albums: ['album_key'],
};

/** $1: conversation, $2 and $3: time and id of the last message of the batch before */
export const NEXT_IDS = statement(
  'erasure-next-messages',
  `SELECT id, created_at FROM messages
   WHERE conversation_id = $1::uuid AND (created_at, id) > ($2::timestamptz, $3::uuid)
   ORDER BY created_at, id LIMIT ${ERASURE_BATCH}`,
);

/**
 * Locks tasks before messages, as the statements that begin and record sends do. A scheduled message takes its place, and
 * fails there. Returns messages that a process may be writing to their platform. $1: messages
 */
export const DROP_TASKS = statement(
  'erasure-drop-tasks',
  `WITH task AS (DELETE FROM message_tasks WHERE message_id = ANY ($1::uuid[]) RETURNING message_id, write_started_at, lease_until),
   album AS (DELETE FROM albums WHERE message_id = ANY ($1::uuid[])),
   due AS (DELETE FROM scheduled_sends WHERE message_id = ANY ($1::uuid[]) RETURNING message_id),
   ${PLACES},
   started AS (
     UPDATE messages m SET status = 'pending', ${PLACE} WHERE m.id IN (SELECT message_id FROM due) AND m.status = 'scheduled'
   )
   SELECT message_id AS id FROM task WHERE write_started_at IS NOT NULL OR lease_until > now()`,
);

/**
 * Waits for statements that hold the rows: what they recorded is visible when this one returns. Later statements find the
 * messages erased. A message that the version before is sending has a lease here. $1: messages
 */
export const LOCK_MESSAGES = statement(
  'erasure-lock-messages',
  `SELECT id, platform, account, received_id, platform_message_id,
     status IN ('pending', 'scheduled') AND write_started_at IS NULL AND ${isFree()} AS unsent
   FROM messages WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`,
);

/** The platforms' ids of their parts. $1: messages */
export const LOCK_PARTS = statement(
  'erasure-lock-parts',
  `SELECT platform, account, platform_message_id FROM message_parts WHERE message_id = ANY ($1::uuid[])
   ORDER BY message_id, part_index FOR UPDATE`,
);

/** A part that was billed keeps its bill. $1: messages */
export const DROP_PARTS = statement(
  'erasure-drop-parts',
  `WITH billed AS (
     UPDATE message_parts SET platform_message_id = NULL, failure = NULL
     WHERE message_id = ANY ($1::uuid[]) AND billing IS NOT NULL AND (platform_message_id IS NOT NULL OR failure IS NOT NULL)
   )
   DELETE FROM message_parts WHERE message_id = ANY ($1::uuid[]) AND billing IS NULL`,
);

/** $1: environment, $2: platforms, $3: ids, $4: their digests, $5: accounts */
export const REPLACE_IDS = statement(
  'erasure-replace-ids',
  `WITH receipt AS (
     DELETE FROM early_receipts WHERE (environment, platform, account, platform_message_id) IN (
       SELECT $1::environment, platform, account, id
       FROM unnest($2::text[], $3::text[], $5::text[]) AS named (platform, id, account)
     )
   )
   INSERT INTO erased_message_ids (digest, erased_at) SELECT digest, now() FROM unnest($4::bytea[]) AS digest
   ON CONFLICT DO NOTHING`,
);

/** SQL of a value as JSON. */
const jsonOf = (value: object) => `'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`;

const ERASED = jsonOf(sendFailure('erased'));
/** The fixed failure of each code. Nothing can be sent again. */
const FAILURES = jsonOf(
  Object.fromEntries(
    Object.keys(SEND_FAILURES).map((code) => [code, { ...sendFailure(code as SendFailureCode), retryable: false }]),
  ),
);

/** A failure keeps its code, which statistics count, and gets the fixed text of the code: its own may name the person. $1: messages */
export const EMPTY_MESSAGES = statement(
  'erasure-empty-messages',
  `UPDATE messages SET content = '', sender = NULL, options = NULL, reply_to = NULL, received_id = NULL, platform_message_id = NULL,
     repeats = NULL, has_attachments = false, lease_until = NULL,
     status = CASE WHEN status IN ('pending', 'scheduled') THEN 'failed' ELSE status END,
     failure = CASE
       WHEN status IN ('pending', 'scheduled') THEN ${ERASED}
       WHEN failure IS NOT NULL THEN coalesce(${FAILURES} -> (failure ->> 'code'), ${ERASED} || jsonb_build_object('code', failure ->> 'code'))
     END
   WHERE id = ANY ($1::uuid[]) AND (
     content <> '' OR sender IS NOT NULL OR options IS NOT NULL OR reply_to IS NOT NULL OR received_id IS NOT NULL OR platform_message_id IS NOT NULL
     OR repeats IS NOT NULL OR has_attachments OR lease_until IS NOT NULL OR status IN ('pending', 'scheduled')
   )`,
);
