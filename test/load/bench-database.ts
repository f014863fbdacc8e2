import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from './stage';

/** A rate limit that no machine reaches. */
export const WIDE = 1_000_000_000;

const TIMEOUT_MS = 20_000;

/** Raises every limit of keys and settings: a bench measures how the gateway counts requests, not how it refuses them. */
export async function liftLimits(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('UPDATE api_keys SET requests_per_minute = $1, requests_per_hour = $1', [WIDE]);
    await client.query(
      `INSERT INTO settings (environment, document) VALUES ('test', $1), ('live', $1)
       ON CONFLICT (environment) DO UPDATE SET document = excluded.document`,
      [JSON.stringify({ rate_limits: { messages_per_minute: WIDE, replies_per_minute: WIDE } })],
    );
    await client.query(
      `SELECT pg_notify('gateway', 'api_keys:'), pg_notify('gateway', 'settings:test'), pg_notify('gateway', 'settings:live')`,
    );
  });
}

/** Repeats a query until its column `done` is true. @throws after 20 s */
export async function untilTrue(databaseUrl: string, question: string, values: unknown[]): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const { rows } = await client.query<{ done: boolean }>(question, values);
      if (rows[0]!.done) return;
      if (Date.now() > deadline) throw new Error(`Not true after ${TIMEOUT_MS} ms: ${question}`);
      await sleep(50);
    }
  });
}
