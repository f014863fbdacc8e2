import { untilTrue } from '../bench-database';

/** Resolves when every delivery is confirmed: the one that runs next is not disturbed. */
export async function tasksDone(databaseUrl: string): Promise<void> {
  await untilTrue(databaseUrl, 'SELECT NOT EXISTS (SELECT FROM messages WHERE lease_until IS NOT NULL) AS done', []);
}

/** SQL of whether the gateway keeps what a send promises, of $1 of them. */
export const ALL_STORED = `
  SELECT (SELECT count(*) FROM messages WHERE status = 'delivered') = $1
    AND (SELECT sum(message_count) FROM conversations) = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.sent') = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.delivered') = $1
    AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`;

/** The same of the bare server. */
export const ALL_STORED_BARE = `
  SELECT (SELECT count(*) FROM message WHERE status = 'delivered') = $1
    AND (SELECT sum(messages) FROM conversation) = $1
    AND (SELECT count(*) FROM event) = 2 * $1
    AND (SELECT count(*) FROM bare_audit WHERE status = 200) >= $1 AS done`;
