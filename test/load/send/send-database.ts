import type { Environment } from '#contracts';
import { untilTrue } from '../bench-database';

/** Resolves when every delivery is confirmed, so that no background work disturbs the next contender. True of earlier versions too. */
export async function tasksDone(databaseUrl: string): Promise<void> {
  await untilTrue(
    databaseUrl,
    `SELECT NOT EXISTS (SELECT FROM messages WHERE status IN ('pending', 'sent')) AS done`,
    [],
  );
}

/** SQL: whether the gateway has stored $1 delivered sends of an environment, with their events and audit rows. */
export const ALL_STORED = (environment: Environment) => `
  SELECT (SELECT count(*) FROM messages WHERE status = 'delivered' AND environment = '${environment}') = $1
    AND (SELECT sum(message_count) FROM conversations WHERE environment = '${environment}') = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.sent' AND environment = '${environment}') = $1
    AND (SELECT count(*) FROM events WHERE type = 'message.delivered' AND environment = '${environment}') = $1
    AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`;

/** The same for the bare server. */
export const ALL_STORED_BARE = `
  SELECT (SELECT count(*) FROM message WHERE status = 'delivered') = $1
    AND (SELECT sum(messages) FROM conversation) = $1
    AND (SELECT count(*) FROM event) = 2 * $1
    AND (SELECT count(*) FROM bare_audit WHERE status = 200) >= $1 AS done`;
