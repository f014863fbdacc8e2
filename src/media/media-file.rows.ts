import { statement } from '../core/database/database.service';
import { IS_UNREFERENCED } from './storage/stored-files.rows';

/** How long stored bytes may have no attachment, in seconds. Bytes that still arrive renew `touched_at` more often. */
export const UNREFERENCED_SECONDS = 30;

/** SQL of the bytes that a person holds. */
const HELD_BY = (person: string) => `coalesce((SELECT sum(size_bytes) FROM media_files WHERE person = ${person}), 0)`;

/**
 * Inserts the row of bytes before they are stored. $1: environment, $2: SHA-256, $3: bytes, $4: the quota, $5: the person who sent
 * them, or null, $6: how many bytes the person may hold. If two callers insert the same bytes at once, one of them fails, and finds
 * the row of the other when it retries.
 */
export const CLAIM_FILE = statement(
  'media-claim',
  `WITH known AS (
     UPDATE media_files SET touched_at = now() WHERE environment = $1 AND sha256 = $2 RETURNING 1
   ),
   room AS (
     INSERT INTO media_usage AS used (environment, bytes)
     SELECT $1, $3::bigint WHERE NOT EXISTS (SELECT FROM known) AND $3 <= $4::bigint
       AND ($5::text IS NULL OR ${HELD_BY('$5')} + $3 <= $6::bigint)
     ON CONFLICT (environment) DO UPDATE SET bytes = used.bytes + excluded.bytes
     WHERE used.bytes + excluded.bytes <= $4
     RETURNING 1
   ),
   file AS (
     INSERT INTO media_files (environment, sha256, size_bytes, touched_at, person) SELECT $1, $2, $3, now(), $5 FROM room
   )
   SELECT EXISTS (SELECT FROM known) OR EXISTS (SELECT FROM room) AS fits, EXISTS (SELECT FROM room) AS is_new`,
);

/** $1: environment, $2: SHA-256 */
export const TOUCH_FILE = statement(
  'media-touch',
  `UPDATE media_files SET touched_at = now() WHERE environment = $1 AND sha256 = $2`,
);

/**
 * SQL of the row of bytes that the same statement refers to; none if the clean-up has removed them. It touches the row, so
 * that a clean-up that has already found the bytes unreferenced leaves them.
 */
export const REFER = (environment: string, sha256: string) =>
  `UPDATE media_files SET touched_at = now() WHERE environment = ${environment} AND sha256 = ${sha256} RETURNING 1`;

const takeUnreferenced = (which: string) => `
  DELETE FROM media_files WHERE (environment, sha256) IN (
    SELECT environment, sha256 FROM media_files file
    WHERE touched_at < now() - interval '${UNREFERENCED_SECONDS} seconds' AND ${IS_UNREFERENCED} ${which}
    FOR UPDATE SKIP LOCKED
  )
  RETURNING environment, sha256, size_bytes`;

/**
 * Deletes the rows of bytes that no attachment refers to. The transaction removes the bytes from the storage before it commits: a
 * caller that brings the same bytes meanwhile waits for the row, and then stores them again. $1: how many
 */
export const TAKE_UNREFERENCED = takeUnreferenced('LIMIT $1');

/** The same for the named bytes. $1: environment, $2: their SHA-256 */
export const TAKE_UNREFERENCED_OF = takeUnreferenced('AND environment = $1 AND sha256 = ANY ($2::text[])');

/**
 * Deletes attachments that no message has, and the rows of the bytes that came with them. Bytes that another caller has touched
 * since stay: it is about to refer to them. $1: attachments, $2: the SHA-256 of bytes that were stored for them
 */
export const TAKE_DISCARDED = `
  WITH dropped AS (
    DELETE FROM attachments WHERE id = ANY ($1::uuid[]) AND unused_since IS NOT NULL
    RETURNING id, environment, sha256, created_at
  )
  DELETE FROM media_files file USING dropped
  WHERE file.environment = dropped.environment AND file.sha256 = dropped.sha256 AND file.sha256 = ANY ($2::text[])
    AND file.touched_at <= dropped.created_at AND NOT EXISTS (
      SELECT FROM attachments other WHERE other.environment = file.environment AND other.sha256 = file.sha256
        AND other.status = 'stored' AND other.id NOT IN (SELECT id FROM dropped)
    )
  RETURNING file.environment, file.sha256, file.size_bytes`;

/** The named bytes that are stored although no attachment refers to them. $1: environment, $2: their SHA-256 */
export const UNREFERENCED_OF = statement(
  'media-unreferenced',
  `SELECT sha256 FROM media_files file WHERE environment = $1 AND sha256 = ANY ($2::text[]) AND ${IS_UNREFERENCED}`,
);

/** The bytes that count against the quota, and those of a person. $1: environment, $2: person, or null */
export const READ_USAGE = statement(
  'media-usage',
  `SELECT coalesce((SELECT bytes FROM media_usage WHERE environment = $1), 0)::float8 AS bytes,
     ${HELD_BY('$2::text')}::float8 AS "ofPerson"`,
);

/** $1: environment, $2: bytes */
export const GIVE_BACK = `UPDATE media_usage SET bytes = bytes - $2 WHERE environment = $1`;
