import { statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { HELD_MAIL } from '../entities/mail.entity';

export const ERASED_COLUMNS = { mail_outbox: ['subject', 'text'] };

/** The line before the conversation's id names its person, and so does the subject of a mail about one. $1: the conversation's public id */
export const ERASE_NAME = statement(
  'erasure-mail',
  String.raw`UPDATE mail_outbox SET text = regexp_replace(
     text, '[^\n]*\n  Conversation:  ' || $1::text, E'  An erased person\n  Conversation:  ' || $1
   ), subject = regexp_replace(subject, '^.* waits for a person$', 'An erased person waits for a person')
   WHERE kind = 'waiting' AND text LIKE '%Conversation:  ' || $1 || '%'
     AND text NOT LIKE E'%An erased person\n  Conversation:  ' || $1 || '%'`,
);

export const END_MAIL_LEASES = `
  UPDATE mail_outbox SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

/** In a restored database: these mails may have been sent since the backup. They wait for the operator. */
export const HOLD_MAIL = `
  UPDATE mail_outbox SET error = '${HELD_MAIL}', next_at = NULL, lease_until = NULL, fence = fence + 1
  WHERE next_at IS NOT NULL`;
