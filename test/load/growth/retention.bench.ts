import { setTimeout as sleep } from 'node:timers/promises';
import { callGateway } from '../api-request';
import type { Bench } from '../bench.port';
import { warmUp } from '../comparison';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { openLoop } from '../load';
import { API_KEY, gatewaySender, SANDBOX } from '../send/send.bench';
import { percentile } from '../statistics';
import { withClient } from '../stage';
import { BATCHED_DAYS, fillOldPartitions, OLD_ROWS_GONE } from './old-partitions';

const ROWS = 100_000;
const PER_SECOND = 100;
const SECONDS = 20;
/** The bench fails if retention takes longer, in milliseconds. */
const TIMEOUT_MS = 1_800_000;
/** Interval between two queries of the locks, in milliseconds. */
const LOOK_MS = 5;

/** SQL: the longest current wait for a table lock, in milliseconds. */
const LONGEST_WAIT = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)) * 1000, 0)::float8 AS ms
  FROM pg_locks WHERE NOT granted AND locktype = 'relation'`;

/** Sends during retention. It drops the partitions with most of the old rows, and deletes the rest in batches. */
export const RETENTION: Bench = {
  description: `${PER_SECOND} sends a second beside retention of as many old audit rows, and events, as --rows says (--seconds of sends before)`,
  async run(stage) {
    const rows = stage.rows ?? ROWS;
    const databaseUrl = await stage.database('gateway_retention');
    const showOldPartitions = await fillOldPartitions(databaseUrl, rows);
    const gateway = await startGatewayServer(stage, 'gateway', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
    const sender = await gatewaySender(gateway, databaseUrl, SANDBOX);
    await warmUp([sender]);
    const seconds = stage.seconds ?? SECONDS;
    const alone = await openLoop(sender, PER_SECOND, seconds);

    await withClient(databaseUrl, (client) => client.query(showOldPartitions));
    const startedAt = performance.now();
    let runs = 0;
    // A change of the setting starts a run of retention. A run that does not get a lock leaves the rest to the next run.
    const retain = () => {
      const retention = { audit_days: BATCHED_DAYS - 1 - (runs++ % 2) };
      return callGateway(gateway.origin, API_KEY, 'PATCH', '/admin/settings', { retention });
    };
    await retain();
    const done = oldRowsGone(databaseUrl);
    const goneAt = done.then(() => performance.now());
    const beside: number[] = [];
    const [longestWait] = await Promise.all([
      longestLockWait(databaseUrl, done),
      (async () => {
        while (!(await isSettled(done))) {
          beside.push(...(await openLoop(sender, PER_SECOND, seconds)));
          await retain();
        }
      })(),
    ]);
    const took = ((await goneAt) - startedAt) / 1_000;

    const all = Math.round(rows * 1.1).toLocaleString('en');
    console.log(
      `\n${all} old audit rows and as many events are gone within ${took.toFixed(0)} s, after ${runs - 1} runs of retention`,
    );
    console.log(`  sends before  ${inWords(alone)}`);
    console.log(`  sends beside  ${inWords(beside)}`);
    printVerdict('longest wait for the lock of a table', longestWait, { limit: 50, unit: 'ms' });
    printVerdict('p99.9 beside, less that of before', percentile(beside, 0.999) - percentile(alone, 0.999), {
      limit: 50,
      unit: 'ms',
    });
  },
};

function inWords(latencies: readonly number[]): string {
  const figures = [0.5, 0.99, 0.999, 1].map((share) => percentile(latencies, share).toFixed(1));
  const slow = latencies.filter((ms) => ms > 50).length;
  return `p50 ${figures[0]} ms, p99 ${figures[1]} ms, p99.9 ${figures[2]} ms, max ${figures[3]} ms; ${slow} of ${latencies.length} above 50 ms`;
}

async function oldRowsGone(databaseUrl: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  await withClient(databaseUrl, async (client) => {
    while (!(await client.query<{ gone: boolean }>(OLD_ROWS_GONE)).rows[0]!.gone) {
      if (performance.now() > deadline) throw new Error(`Old rows are left after ${TIMEOUT_MS / 1_000} s`);
      await sleep(200);
    }
  });
}

async function longestLockWait(databaseUrl: string, until: Promise<void>): Promise<number> {
  let longest = 0;
  await withClient(databaseUrl, async (client) => {
    while (!(await isSettled(until))) {
      longest = Math.max(longest, (await client.query<{ ms: number }>(LONGEST_WAIT)).rows[0]!.ms);
      await sleep(LOOK_MS);
    }
  });
  return longest;
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
}
