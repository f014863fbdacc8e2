import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { toPublicId } from '#contracts';
import { apiRequest } from '../api-request';
import type { Bench } from '../bench.port';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { filledDatabase } from '../list/gateway-database';
import { withClient } from '../stage';
import { countedStatements } from '../statements';
import { percentile } from '../statistics';

const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const ROWS = 1_000_000;
/** One of this many messages has failed. */
const ONE_FAILS_OF = 1_000;
const SAMPLES = 300;
const WARM_UP = 30;
const GOAL_MS = 50;
const IDLE_SECONDS = 60;
/** The goal for an idle instance. */
const IDLE_STATEMENTS_PER_SECOND = 5;

/** The dashboard's queries about failures (problems, failed messages, timelines) over many messages; then an idle minute. */
export const EXPLAIN: Bench = {
  description:
    'problems, failed messages and timelines over many messages, then an idle minute (--rows, a million otherwise)',
  async run(stage) {
    const rows = stage.rows ?? ROWS;
    const databaseUrl = await filledDatabase(stage, rows);
    const ids = await withClient(databaseUrl, async (client) => {
      await client.query(
        `UPDATE messages SET status = 'failed', failure = '{"code": "blocked", "message": "The person blocked the bot.", "retryable": false}'
         WHERE direction = 'outbound' AND seq % ${ONE_FAILS_OF} = 1`,
      );
      await client.query('VACUUM ANALYZE messages');
      const sample = await client.query<{ id: string }>(
        `SELECT id FROM messages TABLESAMPLE SYSTEM (0.1) ORDER BY random() LIMIT $1`,
        [SAMPLES],
      );
      return sample.rows.map(({ id }) => toPublicId('message', id));
    });
    const { origin } = await startGatewayServer(stage, 'explain', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
    const month = encodeURIComponent(new Date(Date.now() - 30 * 86_400_000).toISOString());
    const questions: Readonly<Record<string, () => string>> = {
      'GET /problems of a day': () => '/problems',
      'GET /problems of 30 days': () => `/problems?since=${month}`,
      'GET /messages?status=failed': () => `/messages?status=failed&page=${randomInt(1, 5)}`,
      'GET /messages/{id}/timeline': () => `/messages/${ids[randomInt(ids.length)]}/timeline`,
    };
    console.log(`${rows.toLocaleString('en')} messages, one of ${ONE_FAILS_OF.toLocaleString('en')} failed`);
    for (const [what, path] of Object.entries(questions)) {
      const latencies: number[] = [];
      for (let count = -WARM_UP; count < SAMPLES; count++) {
        const startedAt = performance.now();
        await ask(origin, path());
        if (count >= 0) latencies.push(performance.now() - startedAt);
      }
      const p50 = percentile(latencies, 0.5).toFixed(1);
      printVerdict(`${what} (p50 ${p50} ms): p99`, percentile(latencies, 0.99), { limit: GOAL_MS, unit: 'ms' });
    }
    printVerdict('statements of an idle minute', await statementsPerSecond(databaseUrl), {
      limit: IDLE_STATEMENTS_PER_SECOND,
      unit: 'per second',
    });
  },
};

/** Statements per second in an idle minute; undefined if the server does not count statements. */
function statementsPerSecond(databaseUrl: string): Promise<number | undefined> {
  return withClient(databaseUrl, async (client) => {
    const before = await countedStatements(client);
    await sleep(IDLE_SECONDS * 1_000);
    const after = await countedStatements(client);
    return before === undefined || after === undefined ? undefined : (after - before) / IDLE_SECONDS;
  });
}

async function ask(origin: string, path: string): Promise<void> {
  const { path: wholePath, ...options } = apiRequest(API_KEY, 'GET', path);
  const answer = await request(`${origin}${wholePath}`, options);
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
}
