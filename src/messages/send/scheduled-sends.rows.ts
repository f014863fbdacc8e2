import { sendFailure, type Environment, type Platform } from '#contracts';
import { statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { attachmentsOf, type AttachmentsColumn } from '../../media/message-attachments.rows';
import type { OutboundOptions } from './outbound-message';
import { insertTask } from './outbound.rows';
import { PLACE, PLACES } from '../../conversations/message-places.rows';

const ofMessage = (column: string) => `(SELECT ${column} FROM messages WHERE id = message_id) AS ${column}`;

/** Starting a send takes one statement, so its lease is short: after a crash, another process starts the send soon. */
export const DUE_SCHEDULED_SENDS = {
  table: 'scheduled_sends',
  key: 'message_id',
  environment: 'environment',
  columns: `message_id, ${ofMessage('platform')}, ${ofMessage('account')}, ${ofMessage('send_at')}`,
  leaseSeconds: 3,
};

/**
 * Both this and `CANCEL_SCHEDULED` delete the row of `scheduled_sends` first: the one that deletes it wins. The message gets the
 * task of a message that a client sends now. Without a participant the conversation is being erased, and the
 * message with it. $1: message, $2: fence of the claim
 */
export const START_SCHEDULED = statement(
  'scheduled-send-start',
  `WITH due AS (DELETE FROM scheduled_sends WHERE message_id = $1::uuid AND fence = $2::integer RETURNING message_id),
   ${PLACES},
   message AS (
     UPDATE messages m SET status = 'pending', ${PLACE},
       options = CASE WHEN c.handling = 'assistant' THEN m.options - 'by_colleague'
         ELSE m.options || '{"by_colleague": true}' END
     FROM due, conversations c
     WHERE m.id = due.message_id AND m.status = 'scheduled' AND c.id = m.conversation_id AND c.participant_id IS NOT NULL
     RETURNING m.id, m.environment, m.platform, m.account, m.conversation_id, m.content, m.options, m.has_attachments, m.traceparent,
       c.participant_id AS recipient, c.participant_name, c.address, c.last_inbound_at
   ),
   send AS (${insertTask('id', `CASE WHEN environment = 'live' THEN now() END`, 'message')})
   SELECT message.*, ${attachmentsOf('message')} AS attachments FROM message`,
);

/** The row that `START_SCHEDULED` returns. */
export interface StartedRow {
  id: string;
  environment: Environment;
  platform: Platform;
  account: string;
  conversation_id: string;
  content: string;
  options: OutboundOptions;
  attachments: AttachmentsColumn;
  traceparent: string | null;
  recipient: string;
  participant_name: string | null;
  address: string | null;
  last_inbound_at: Date | null;
}

/** $1: message, $2: fence of the claim, $3: seconds until it is due again */
export const POSTPONE_SCHEDULED = statement(
  'scheduled-send-postpone',
  `UPDATE scheduled_sends SET next_at = now() + make_interval(secs => $3), lease_until = NULL, attempts = 0
   WHERE message_id = $1::uuid AND fence = $2::integer`,
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
  WITH due AS (DELETE FROM scheduled_sends WHERE next_at <= now() RETURNING message_id),
   ${PLACES}
  UPDATE messages m SET status = 'failed', failure = '${AMBIGUOUS}'::jsonb, ${PLACE}
  WHERE m.id IN (SELECT message_id FROM due) AND m.status = 'scheduled'`;
