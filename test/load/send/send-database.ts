import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../stage';

/** Requests in any window: beyond what a machine does. */
export const WIDE = 1_000_000_000;

const PATIENCE_MS = 20_000;

/** No limit of the key or of the settings is met: what is measured is counting, not refusing. */
export async function liftLimits(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('UPDATE api_keys SET requests_per_minute = $1, requests_per_hour = $1', [WIDE]);
    await client.query(
      `INSERT INTO settings (environment, document) VALUES ('test', $1)
       ON CONFLICT (environment) DO UPDATE SET document = excluded.document`,
      [JSON.stringify({ rate_limits: { messages_per_minute: WIDE } })],
    );
    await client.query(`SELECT pg_notify('gateway', 'api_keys:'), pg_notify('gateway', 'settings:test')`);
  });
}

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

async function untilTrue(databaseUrl: string, question: string, values: unknown[]): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const { rows } = await client.query<{ done: boolean }>(question, values);
      if (rows[0]!.done) return;
      if (Date.now() > deadline) throw new Error(`Not true after ${PATIENCE_MS} ms: ${question}`);
      await sleep(50);
    }
  });
}
