import { untilTrue } from '../bench-database';

/** Resolves when every delivery is confirmed and every event handled: the one that runs next is not disturbed. */
export async function tasksDone(databaseUrl: string): Promise<void> {
  await untilTrue(
    databaseUrl,
    'SELECT NOT EXISTS (SELECT FROM message_tasks) AND NOT EXISTS (SELECT FROM event_outbox) AS done',
    [],
  );
}

/** What a send promises, of all of them. */
export async function assertAllStored(databaseUrl: string, sends: number): Promise<void> {
  await untilTrue(
    databaseUrl,
    `SELECT (SELECT count(*) FROM messages WHERE status = 'delivered') = $1
       AND (SELECT sum(message_count) FROM conversations) = $1
       AND (SELECT count(*) FROM message_parts) = $1
       AND (SELECT count(*) FROM events WHERE type = 'message.sent') = $1
       AND (SELECT count(*) FROM events WHERE type = 'message.delivered') = $1
       AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`,
    [sends],
  );
}
