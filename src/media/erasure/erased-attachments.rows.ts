import { statement } from '../../core/database/database.service';

export const ERASED_COLUMNS = {
  attachments: ['sha256', 'filename', 'reason', 'transcript', 'source'],
  media_files: ['person'],
};

/** The most attachments that one transaction removes. */
export const BATCH = 100;

/**
 * The attachments of a conversation that no other conversation has: an uploaded file may be sent to many people. $1: conversation
 */
const OWN = `
  SELECT DISTINCT a.id FROM messages m JOIN message_attachments l ON l.message_id = m.id JOIN attachments a ON a.id = l.attachment_id
  WHERE m.conversation_id = $1::uuid AND NOT EXISTS (
    SELECT FROM message_attachments other JOIN messages o ON o.id = other.message_id
    WHERE other.attachment_id = a.id AND o.conversation_id <> $1
  )`;

/** Unlinks the files that other conversations have too. $1: conversation */
export const UNLINK_SHARED = statement(
  'erasure-unlink-attachments',
  `DELETE FROM message_attachments l USING messages m
   WHERE m.conversation_id = $1::uuid AND l.message_id = m.id AND EXISTS (
     SELECT FROM message_attachments other JOIN messages o ON o.id = other.message_id
     WHERE other.attachment_id = l.attachment_id AND o.conversation_id <> $1
   )
   RETURNING l.attachment_id AS id`,
);

/**
 * If the other conversation was erased at the same time, no message has the file any more: the clean-up then removes it.
 * $1: attachments
 */
export const RELEASE_UNLINKED = statement(
  'erasure-release-attachments',
  `UPDATE attachments SET unused_since = '-infinity'
   WHERE id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM message_attachments WHERE attachment_id = attachments.id)`,
);

/** Bytes that other conversations have too stay, and then count for no person. $1: attachments */
export const FORGET_PERSON = statement(
  'erasure-forget-person',
  `UPDATE media_files file SET person = NULL FROM attachments a
   WHERE a.id = ANY ($1::uuid[]) AND file.environment = a.environment AND file.sha256 = a.sha256 AND file.person IS NOT NULL`,
);

/** Drops the references to bytes. An attachment that is being downloaded or transcribed follows when that has ended. $1: conversation */
export const EMPTY_ATTACHMENTS = statement(
  'erasure-empty-attachments',
  `UPDATE attachments SET status = 'expired', reason = NULL, filename = NULL, transcript = NULL, source = NULL,
     next_at = NULL, fence = fence + 1
   WHERE id IN (${OWN}) AND (lease_until IS NULL OR lease_until < now())
     AND (status <> 'expired' OR reason IS NOT NULL OR filename IS NOT NULL OR transcript IS NOT NULL OR source IS NOT NULL)`,
);

/** $1: conversation */
export const EMPTIED_ATTACHMENTS = statement(
  'erasure-emptied-attachments',
  `SELECT id, sha256 FROM attachments WHERE id IN (${OWN})
     AND status = 'expired' AND filename IS NULL AND transcript IS NULL AND source IS NULL AND next_at IS NULL
   ORDER BY id LIMIT ${BATCH}`,
);

/** $1: attachments */
export const DROP_ATTACHMENTS = statement(
  'erasure-drop-attachments',
  `WITH place AS (DELETE FROM message_attachments WHERE attachment_id = ANY ($1::uuid[]))
   DELETE FROM attachments WHERE id = ANY ($1::uuid[])`,
);

/** Whether attachments are left. $1: conversation */
export const HAS_ATTACHMENTS = statement('erasure-has-attachments', `${OWN} LIMIT 1`);
