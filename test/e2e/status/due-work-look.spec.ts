import type { Client } from 'pg';
import { dueStateOf, LOOK_LIMIT, type DueState } from '../../../src/core/work/monitor/due-work.rows';
import { DISPATCHES_STATE } from '../../../src/webhooks/dispatch/dispatch.rows';
import { sharedPostgres, withClient } from '../../support/postgres';

const HOUR = 3_600;
const MAILS_STATE = dueStateOf({ table: 'mail_outbox', environment: 'environment' }, false);

interface Step {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Step[];
}

/** The most rows that any step of a statement reads. */
function mostRows(step: Step): number {
  const read = (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops'];
  return Math.max(read, ...(step.Plans ?? []).map(mostRows));
}

describe('GET /status with 100,000 rows of due work', () => {
  const onDatabase = async (work: (client: Client) => Promise<void>) =>
    withClient(await (await sharedPostgres()).createDatabase(), work);

  async function look(client: Client, state: string) {
    const explained = await client.query<{ 'QUERY PLAN': [{ Plan: Step; 'Execution Time': number }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${state}`,
    );
    const [plan] = explained.rows[0]!['QUERY PLAN'];
    process.stdout.write(`  the look took ${plan['Execution Time']} ms\n`);
    const { rows } = await client.query<DueState>(state);
    const [live, test] = rows.toSorted((one, other) => other.due - one.due);
    return { read: mostRows(plan.Plan), live: live!, test: test! };
  }

  it('reads the first thousand of a table, and reports how long the oldest waits', () =>
    onDatabase(async (client) => {
      await client.query(
        `INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at, lease_until)
         SELECT gen_random_uuid(), 'live', 'Hello', 'Hello', now(), now() - n * interval '36 ms',
           CASE WHEN n > 99998 THEN now() + interval '1 minute' END
         FROM generate_series(1, 100000) AS n`,
      );
      await client.query('ANALYZE');
      const { read, live, test } = await look(client, MAILS_STATE);
      expect(live).toMatchObject({ due: LOOK_LIMIT, running: 2, faulty: false });
      expect(live.oldest_seconds).toBeGreaterThanOrEqual(HOUR);
      expect(live.waiting_seconds).toBeGreaterThan(HOUR - 10);
      expect(test).toMatchObject({ due: 0, oldest_seconds: null, running: 0, waiting_seconds: null });
      expect(read).toBeLessThanOrEqual(2 * LOOK_LIMIT);
    }));

  it('reads the first of each webhook, and reports webhooks that no instance serves', () =>
    onDatabase(async (client) => {
      await client.query(`
        INSERT INTO webhooks (id, environment, url, events, secret, status, created_at, updated_at)
        SELECT gen_random_uuid(), CASE WHEN n = 1 THEN 'test' ELSE 'live' END::environment, 'https://example.com/' || n, '{*}',
          '\\x00', CASE WHEN n = 2 THEN 'disabled' ELSE 'active' END, now(), now()
        FROM generate_series(1, 102) AS n`);
      await client.query(`
        INSERT INTO events (id, environment, type, body, created_at)
        SELECT gen_random_uuid(), 'live', 'system.health', '{}', now() FROM generate_series(1, 1000)`);
      // Every live webhook has three attempts under way.
      await client.query(`
        INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at, lease_until)
        SELECT event.id, webhook.id, now(), now() - n * interval '3.6 s',
          CASE WHEN n > 997 AND webhook.environment = 'live' THEN now() + interval '1 minute' END
        FROM webhooks webhook CROSS JOIN (SELECT id, row_number() OVER () AS n FROM events) event`);
      await client.query('ANALYZE');
      const { read, live, test } = await look(client, DISPATCHES_STATE);
      expect(live).toMatchObject({ running: 300, waiting_seconds: null, faulty: false });
      expect(live.due).toBeGreaterThan(0.9 * LOOK_LIMIT);
      expect(live.oldest_seconds).toBeGreaterThanOrEqual(HOUR);
      expect(test).toMatchObject({ running: 0 });
      expect(test.waiting_seconds).toBeGreaterThanOrEqual(HOUR);
      expect(read).toBeLessThanOrEqual(2 * LOOK_LIMIT);
    }));
});
