import { sendFailure } from '#contracts';
import { statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { FIRST_FENCE } from '../outbound/outbound.rows';

/** Starting a send takes one statement, so its lease is short: after a crash, another process starts the send soon. */
export const DUE_SCHEDULED_SENDS = {
  table: 'scheduled_sends',
  key: 'message_id',
  environment: 'environment',
  columns: 'message_id',
  leaseSeconds: 3,
};

/**
 * Both this and `CANCEL_SCHEDULED` delete the row of `scheduled_sends` first: the one that deletes it wins. $1: message,
 * $2: fence of the claim.
 */
export const START_SCHEDULED = statement(
  'scheduled-send-start',
  `WITH due AS (DELETE FROM scheduled_sends WHERE message_id = $1::uuid AND fence = $2::integer RETURNING message_id),
   message AS (
     UPDATE messages SET status = 'pending' WHERE id = (SELECT message_id FROM due) AND status = 'scheduled' RETURNING id
   )
   INSERT INTO message_tasks (message_id, next_at, fence) SELECT id, now(), ${FIRST_FENCE} FROM message`,
);

/** $1: message, $2: environment. Returns no row when the message does not wait any more. */
export const CANCEL_SCHEDULED = statement(
  'scheduled-send-cancel',
  `WITH due AS (
     DELETE FROM scheduled_sends WHERE message_id = $1::uuid AND environment = $2::environment RETURNING message_id
   )
   UPDATE messages SET status = 'cancelled' WHERE id = (SELECT message_id FROM due) AND status = 'scheduled' RETURNING 1`,
);

export const END_SCHEDULED_LEASES = `UPDATE scheduled_sends SET lease_until = ${ENDED} WHERE lease_until > now()`;

const AMBIGUOUS = JSON.stringify(sendFailure('ambiguous')).replaceAll("'", "''");

/** In a restored database: a message whose time has passed may have been sent since the backup, and is not sent again. */
export const FAIL_PAST_SCHEDULED_SENDS = `
  WITH past AS (DELETE FROM scheduled_sends WHERE next_at <= now() RETURNING message_id)
  UPDATE messages SET status = 'failed', failure = '${AMBIGUOUS}'::jsonb
  WHERE id IN (SELECT message_id FROM past) AND status = 'scheduled'`;
