import type { Attachment, AttachmentStatus, Environment, Platform } from '#contracts';
import { statement } from '../core/database/database.service';
import { ENDED } from '../core/database/lease';
import type { StoredRow } from '../core/database/stored-row';
import { insertEvents } from '../core/events/event.rows';
import type { DueTable } from '../core/work/due.rows';
import { COLUMNS, SHOWN_COLUMNS, toAttachment, type AttachmentRow } from './attachment.rows';
import type { AttachmentEntity, AttachmentSource } from './entities/attachment.entity';
import { REFER } from './media-file.rows';

/** An attachment that is stored with its message. */
export type NewAttachment = AttachmentRow & { source: AttachmentSource | null };

/**
 * The common table expressions that store the attachments of an inbound message, in the statement that stores the message.
 * They are added after the attachments that the message already has. A `pending` attachment is due work from then on.
 * @param parameter placeholder of the JSON that `attachmentRows` makes
 * @param message SQL of a table with the one message: `id`, `environment`; empty if it was not stored
 */
export function insertAttachments(parameter: string, message: string): string {
  return `
    attachment AS (
      INSERT INTO attachments (id, environment, message_id, kind, mime_type, size_bytes, filename, width, height,
        duration_seconds, status, reason, source, created_at, next_at)
      SELECT a.id, message.environment, message.id, kind, mime_type, size_bytes, filename, width, height,
        duration_seconds, status, reason, source, now(), CASE status WHEN 'pending' THEN now() END
      FROM ${message} message CROSS JOIN json_to_recordset(${parameter}::json) AS a(id uuid, kind text, mime_type text,
        size_bytes bigint, filename text, width integer, height integer, duration_seconds float8, status text, reason text,
        source jsonb, is_upload boolean)
      WHERE NOT a.is_upload
    ),
    ${linkAttachments(`(SELECT message.id AS message_id, a.id, a.position + (
        SELECT count(*) FROM message_attachments l WHERE l.message_id = message.id
      )::integer AS position
      FROM ${message} message CROSS JOIN ROWS FROM (json_to_recordset(${parameter}::json) AS (id uuid))
        WITH ORDINALITY AS a(id, position))`)}`;
}

/** The parameter that `insertAttachments` reads. @param uploads exist already */
export function attachmentRows(rows: readonly NewAttachment[], uploads: readonly string[] = []): string {
  return JSON.stringify([
    ...rows.map((row) => ({ ...row, is_upload: false })),
    ...uploads.map((id) => ({ id, is_upload: true })),
  ]);
}

/**
 * The common table expressions that give a message attachments that exist.
 * @param places SQL of a table with `message_id`, `id` of the attachment, and `position`, which grows
 */
export function linkAttachments(places: string): string {
  return `
    attachment_place AS (
      INSERT INTO message_attachments (message_id, position, attachment_id)
      SELECT message_id, position - 1, id FROM ${places} place
      RETURNING attachment_id
    ),
    used_upload AS (
      UPDATE attachments SET unused_since = NULL
      WHERE id IN (SELECT attachment_id FROM attachment_place) AND unused_since IS NOT NULL
    )`;
}

const FIELDS = SHOWN_COLUMNS.map((name) => `'${name}', a.${name}`).join(', ');

/**
 * SQL of a message's attachments as JSON, in their order; null without any.
 * @param message name of the table of messages in the statement, with `has_attachments`
 */
export function attachmentsOf(message: string): string {
  return `CASE WHEN ${message}.has_attachments THEN (
    SELECT json_agg(json_build_object(${FIELDS}) ORDER BY l.position)
    FROM message_attachments l JOIN attachments a ON a.id = l.attachment_id WHERE l.message_id = ${message}.id
  ) END`;
}

/** The column that `attachmentsOf` selects. */
export type AttachmentsColumn = AttachmentRow[] | null;

export function toAttachments(column: AttachmentsColumn): Attachment[] {
  return (column ?? []).map(toAttachment);
}

/** $1: messages */
export const ATTACHMENTS_OF_MESSAGES = statement(
  'attachments-of-messages',
  `SELECT id, ${attachmentsOf('m')} AS attachments FROM messages m WHERE id = ANY ($1::uuid[]) AND has_attachments`,
);

/** Whether a download or a transcript of messages is due or under way. $1: messages */
export const IS_WORK_DUE = statement(
  'attachments-due',
  `SELECT FROM message_attachments l JOIN attachments a ON a.id = l.attachment_id
   WHERE l.message_id = ANY ($1::uuid[]) AND a.next_at IS NOT NULL LIMIT 1`,
);

/** $1: environment, $2: attachments */
export const FIND_ATTACHMENTS = statement(
  'attachments-find',
  `SELECT ${COLUMNS} FROM attachments WHERE environment = $1 AND id = ANY ($2::uuid[])`,
);

type Row = StoredRow<AttachmentEntity>;

/** A download or a transcript that is due. */
export interface DueAttachment extends Pick<
  Row,
  'id' | 'kind' | 'mime_type' | 'filename' | 'sha256' | 'status' | 'source' | 'created_at' | 'message_id'
> {
  environment: Environment;
  size_bytes: number | null;
  conversation_id: string | null;
  /** The person who sent it. */
  author: { platform: Platform; id: string } | null;
  width: number | null;
  height: number | null;
  duration_seconds: number | null;
}

const DUE_ATTACHMENTS: DueTable = {
  table: 'attachments',
  key: 'id',
  environment: 'environment',
  columns: `id, kind, mime_type, filename, sha256, status, source, created_at, message_id, width, height, duration_seconds,
    size_bytes::float8 AS size_bytes,
    (SELECT conversation_id FROM messages WHERE messages.id = attachments.message_id) AS conversation_id,
    (SELECT json_build_object('platform', m.platform, 'id', coalesce(m.sender ->> 'id', c.participant_id))
     FROM messages m JOIN conversations c ON c.id = m.conversation_id
     WHERE m.id = attachments.message_id AND m.direction = 'inbound' AND c.erased_at IS NULL) AS author`,
  leaseSeconds: 30,
};
export const DUE_DOWNLOADS: DueTable = { ...DUE_ATTACHMENTS, condition: `status = 'pending'` };
export const DUE_TRANSCRIPTS: DueTable = { ...DUE_ATTACHMENTS, condition: `status <> 'pending'` };

/** The end of a download. */
export interface DownloadOutcome {
  status: Exclude<AttachmentStatus, 'pending'>;
  reason: string | null;
  kind: AttachmentEntity['kind'];
  mime_type: string | null;
  size_bytes: number | null;
  sha256: string | null;
  width: number | null;
  height: number | null;
}

/**
 * Records the end of a download under its fence, with its event. $1: id, $2: fence, $3 to $10: the outcome, $11: events,
 * $12: environment, $13: whether a transcript is due now. Stores nothing if the clean-up has removed the bytes meanwhile.
 */
export const FINISH_DOWNLOAD = statement(
  'attachment-finish',
  `WITH file AS (${REFER('$12', '$8')}),
   attachment AS (
     UPDATE attachments SET status = $3, reason = $4, kind = $5, mime_type = $6, size_bytes = $7::bigint, sha256 = $8,
       width = coalesce($9::integer, width), height = coalesce($10::integer, height),
       source = NULL, lease_until = NULL, attempts = 0, next_at = CASE WHEN $13::boolean THEN now() END
     WHERE id = $1 AND fence = $2 AND status = 'pending' AND ($3 <> 'stored' OR EXISTS (SELECT FROM file))
     RETURNING 1
   ),
   ${insertEvents('$11', 'EXISTS (SELECT FROM attachment)')}
   SELECT EXISTS (SELECT FROM attachment) AS recorded`,
);

/** $1: id, $2: fence, $3: seconds */
export const POSTPONE_DOWNLOAD = statement(
  'attachment-later',
  `UPDATE attachments SET lease_until = NULL, next_at = now() + make_interval(secs => $3) WHERE id = $1 AND fence = $2`,
);

/** $1: id, $2: fence, $3: text or null */
export const FINISH_TRANSCRIPT = statement(
  'attachment-transcript',
  `UPDATE attachments SET transcript = $3, lease_until = NULL, next_at = NULL WHERE id = $1 AND fence = $2`,
);

export const END_DOWNLOAD_LEASES = `UPDATE attachments SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;
