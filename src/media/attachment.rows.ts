import { toPublicId, type Attachment } from '#contracts';
import { statement } from '../core/database/database.service';
import type { StoredRow } from '../core/database/stored-row';
import { REFER } from './media-file.rows';
import type { AttachmentEntity } from './entities/attachment.entity';

/** The columns that the API shows. */
export const SHOWN_COLUMNS = [
  'id',
  'kind',
  'mime_type',
  'size_bytes',
  'sha256',
  'filename',
  'width',
  'height',
  'duration_seconds',
  'status',
  'reason',
  'transcript',
] as const satisfies readonly (keyof StoredRow<AttachmentEntity>)[];

/** `size_bytes` is read as a number: pg reads `bigint` as text. */
type Shown = Pick<StoredRow<AttachmentEntity>, Exclude<(typeof SHOWN_COLUMNS)[number], 'size_bytes'>>;
export type AttachmentRow = Shown & { size_bytes: number | null };

export const COLUMNS = SHOWN_COLUMNS.map((name) =>
  name === 'size_bytes' ? 'size_bytes::float8 AS size_bytes' : name,
).join(', ');

/** Only the columns that are shown, in their order: a row may hold more. */
export function toAttachment(row: AttachmentRow): Attachment {
  const shown = Object.fromEntries(SHOWN_COLUMNS.map((name) => [name, row[name]])) as AttachmentRow;
  return { ...shown, id: toPublicId('attachment', row.id) };
}

/** $1: id, $2: environment */
export const READ_ATTACHMENT = statement(
  'attachment-read',
  `SELECT ${COLUMNS} FROM attachments WHERE id = $1 AND environment = $2`,
);

/** Those of the attachments whose bytes are still stored. $1: ids */
export const STORED = statement(
  'attachment-stored',
  `SELECT id FROM attachments WHERE id = ANY ($1::uuid[]) AND status = 'stored'`,
);

/** The attachments whose files the AI provider refused. $1: ids */
export const UNREADABLE = statement(
  'attachment-unreadable',
  'SELECT id FROM attachments WHERE id = ANY ($1::uuid[]) AND unreadable',
);

/** $1: ids */
export const MARK_UNREADABLE = statement(
  'attachment-mark-unreadable',
  'UPDATE attachments SET unreadable = true WHERE id = ANY ($1::uuid[])',
);

/** How long an upload may stay without a message, in hours. */
const UNUSED_HOURS = 24;

/** Skips an upload that a send is about to use: the send has locked it. $1: how many */
export const DELETE_UNUSED = `
  DELETE FROM attachments WHERE id IN (
    SELECT id FROM attachments WHERE unused_since < now() - interval '${UNUSED_HOURS} hours' LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

/** Bytes that are too old are no longer referred to. $1: environment, $2: days, $3: how many */
export const EXPIRE_OLD = `
  UPDATE attachments SET status = 'expired', reason = 'retention' WHERE id IN (
    SELECT id FROM attachments
    WHERE environment = $1 AND status = 'stored' AND sha256 IS NOT NULL AND created_at < now() - make_interval(days => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  )`;

/**
 * An attachment with the bytes of another one, under a name and kind of its own: one send asks for them. The other one counts as used
 * now. $1: id, $2: environment, $3: id of the other one, $4: kind, $5: name
 */
export const INSERT_COPY = statement(
  'attachment-copy',
  `WITH original AS (
     UPDATE attachments SET unused_since = CASE WHEN unused_since IS NOT NULL THEN now() END
     WHERE id = $3 AND environment = $2 AND status = 'stored' RETURNING *
   ),
   file AS (${REFER('$2', '(SELECT sha256 FROM original)')})
   INSERT INTO attachments (id, environment, kind, mime_type, size_bytes, sha256, filename, width, height, duration_seconds,
     transcript, status, created_at, unused_since)
   SELECT $1::uuid, environment, $4, mime_type, size_bytes, sha256, $5, width, height, duration_seconds, transcript, 'stored', now(), now()
   FROM original CROSS JOIN file
   RETURNING ${COLUMNS}`,
);

/** An upload. $1: id, $2: environment, $3: kind, $4: media type, $5: bytes, $6: SHA-256, $7: name, $8: width, $9: height */
export const INSERT_UPLOAD = statement(
  'attachment-upload',
  `WITH file AS (${REFER('$2', '$6')})
   INSERT INTO attachments
     (id, environment, kind, mime_type, size_bytes, sha256, filename, width, height, status, created_at, unused_since)
   SELECT $1::uuid, $2, $3, $4, $5::bigint, $6, $7, $8::integer, $9::integer, 'stored', now(), now() FROM file
   RETURNING ${COLUMNS}`,
);
