import type { Environment } from '#contracts';
import { untilTrue } from '../bench-database';

/** Resolves when every delivery is confirmed: the one that runs next is not disturbed. */
export async function tasksDone(databaseUrl: string): Promise<void> {
  await untilTrue(databaseUrl, 'SELECT NOT EXISTS (SELECT FROM messages WHERE lease_until IS NOT NULL) AS done', []);
}

/** SQL of whether the gateway keeps what a send promises, of $1 of them in an environment. */
export const ALL_STORED = (environment: Environment) => `
  SELECT (SELECT count(*) FROM messages WHERE status = 'delivered' AND environment = '${environment}') = $1
    AND (SELECT sum(message_count) FROM conversations WHERE environment = '${environment}') = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.sent' AND environment = '${environment}') = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.delivered' AND environment = '${environment}') = $1
    AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`;

/** The same of the bare server. */
export const ALL_STORED_BARE = `
  SELECT (SELECT count(*) FROM message WHERE status = 'delivered') = $1
    AND (SELECT sum(messages) FROM conversation) = $1
    AND (SELECT count(*) FROM event) = 2 * $1
    AND (SELECT count(*) FROM bare_audit WHERE status = 200) >= $1 AS done`;
