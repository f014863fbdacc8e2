import { sendFailure } from '#contracts';

const AMBIGUOUS = JSON.stringify(sendFailure('ambiguous')).replaceAll("'", "''");

/** In a restored database: a message that was pending may have gone since the backup, and is not sent again. */
export const FAIL_PENDING_SENDS = `
  UPDATE messages SET status = 'failed', failure = '${AMBIGUOUS}'::jsonb, lease_until = NULL WHERE status = 'pending'`;

export const DROP_SEND_TASKS = 'DELETE FROM message_tasks';
