import type { Environment } from '#contracts';

// The process that makes a backup imports this file too, so it imports nothing else of the gateway.

/** SQL of a condition on a row `file` of `media_files`. */
export const IS_UNREFERENCED = `NOT EXISTS (
  SELECT FROM attachments WHERE environment = file.environment AND sha256 = file.sha256 AND status = 'stored'
)`;

/** Bytes that attachments refer to. */
export interface StoredFile {
  environment: Environment;
  sha256: string;
}

const REFERENCED = `FROM media_files file WHERE NOT ${IS_UNREFERENCED}`;

/** How many bytes the files of messages have. */
export const REFERENCED_BYTES = `SELECT coalesce(sum(size_bytes), 0)::float8 AS bytes ${REFERENCED}`;

/** A cursor that outlives its transaction: reading the files takes longer than a transaction may last. */
export const HOLD_REFERENCED = `
  DECLARE referenced_files CURSOR WITH HOLD FOR SELECT environment, sha256 ${REFERENCED} ORDER BY environment, sha256`;

/** The next rows of the cursor; none at its end. */
export const NEXT_REFERENCED = `FETCH 1000 FROM referenced_files`;

/** Closes the cursor. */
export const RELEASE_REFERENCED = `CLOSE referenced_files`;
