import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { request } from 'undici';
import { apiContender, apiRequest } from '../api-request';
import type { Bench, Contender, MeasuredContender, Pair } from '../bench.port';
import type { ChildServer } from '../child-server';
import { compareThroughput, latencyInWords, warmUp } from '../comparison';
import { compareCosts } from '../costs';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { openLoop } from '../load';
import { withClient, type Stage } from '../stage';
import { percentile } from '../statistics';
import { undisturbed } from '../undisturbed';
import { fillBareLists } from './bare-lists';
import { filledDatabase, lastMoment } from './gateway-database';
import { mixedRequests, oneOfEach } from './list-requests';

const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';

/** Messages in the list on which both servers are compared. */
const COMPARED = 1_000_000;
/** The list whose latency is the baseline for longer lists. */
const SHORT = 10_000;
/** The lowest acceptable ratios. */
const GOAL = { alone: 0.9, duringSends: 0.75 };
/** Rounds in which the answers of both to each kind of request are compared. */
const EQUALITY_ROUNDS = 10;
/** Messages per second that the gateway sends while either server is measured. */
const SENDS_PER_SECOND = 50;
const LATENCY = { perSecond: 50, rounds: 4, secondsPerRound: 3, goal: 1.2 };

/**
 * `GET /messages`, 20 of a million with mixed filters, shallow and deep pages and exact totals, compared with bare Fastify and pg
 * with its own tables and statements, key check, limits and audit: alone, and while the gateway sends. Then the effect of the
 * list's size on the gateway.
 */
export const LIST: Bench = {
  description:
    'GET /messages with mixed filters, any page, exact totals, beside bare Fastify + pg; then by size (--rows)',
  async run(stage) {
    const until = lastMoment();
    const gateway = await startGateway(stage, COMPARED, until);
    const bare = await startBare(stage, COMPARED, until);
    await assertEqual([gateway, bare], COMPARED);
    await warmUp([gateway, bare]);
    for (const connections of [8, 32]) {
      await compareThroughput([gateway, bare], { connections, rounds: 5, secondsPerRound: 1.5, goal: GOAL.alone });
    }
    console.log(`\nWhile the gateway sends ${SENDS_PER_SECOND} messages a second`);
    await whileSending(gateway, () =>
      compareThroughput([gateway, bare], { connections: 32, rounds: 5, secondsPerRound: 1.5, goal: GOAL.duringSends }),
    );
    await compareCosts([gateway, bare], stage.redis['REDIS_URL'], { connections: 32, seconds: 4 });
    await compareSizes(
      stage,
      [COMPARED, ...(stage.rows === undefined ? [] : [stage.rows])],
      new Map([[COMPARED, gateway]]),
      until,
    );
  },
};

/** Sends through the sandbox while `work` runs. */
async function whileSending(gateway: MeasuredContender, work: () => Promise<void>): Promise<void> {
  const body = { platform: 'telegram', recipient: '4711', message: 'Your order has been shipped.' };
  const sends = { ...gateway, request: () => apiRequest(API_KEY, 'POST', '/messages/send', body) };
  const over = new AbortController();
  const sending = async () => {
    while (!over.signal.aborted) await openLoop(sends, SENDS_PER_SECOND, 1);
  };
  await Promise.all([work().finally(() => over.abort()), sending()]);
}

async function startGateway(stage: Stage, rows: number, until: Date): Promise<MeasuredContender> {
  const start = performance.now();
  const databaseUrl = await filledDatabase(stage, rows, until);
  console.log(`${rows.toLocaleString('en')} messages stored in ${Math.round((performance.now() - start) / 1_000)} s`);
  const server = await startGatewayServer(stage, `gateway-${rows}`, databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
  return reader('gateway', server, databaseUrl, rows);
}

async function startBare(stage: Stage, rows: number, until: Date): Promise<MeasuredContender> {
  const databaseUrl = await stage.emptyDatabase('bare_list');
  await withClient(databaseUrl, (client) => fillBareLists(client, rows, until));
  const server = await stage.server('bare', join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: API_KEY,
    ...stage.redis,
  });
  return reader('bare', server, databaseUrl, rows);
}

function reader(name: string, server: ChildServer, databaseUrl: string, rows: number): MeasuredContender {
  const next = mixedRequests(rows);
  return apiContender(name, server, databaseUrl, () => apiRequest(API_KEY, 'GET', next()));
}

/** Checks that both give equal answers, so that the bench compares equal work. */
async function assertEqual(pair: Pair, rows: number): Promise<void> {
  let compared = 0;
  for (let round = 0; round < EQUALITY_ROUNDS; round++) {
    for (const path of oneOfEach(rows)) {
      const [expected, actual] = await Promise.all(pair.map(({ origin }) => answer(origin, path)));
      deepStrictEqual(actual, expected, path);
      compared += 1;
    }
  }
  console.log(`${compared} answers compared: equal`);
}

async function answer(origin: string, path: string): Promise<unknown> {
  const { path: wholePath, ...options } = apiRequest(API_KEY, 'GET', path);
  const { statusCode, body } = await request(`${origin}${wholePath}`, options);
  const { data, meta } = (await body.json()) as { data: unknown; meta: { pagination: unknown } };
  return { path, statusCode, data, pagination: meta.pagination };
}

/** Open-loop rounds of all sizes in turn. Prints p50 and p99 of each, and its p99 relative to that of the short list. */
export async function compareSizes(
  stage: Stage,
  longer: readonly number[],
  running: Map<number, Contender>,
  until: Date,
): Promise<void> {
  const sizes = [SHORT, ...longer];
  for (const rows of sizes.filter((size) => !running.has(size))) {
    const gateway = await startGateway(stage, rows, until);
    await warmUp([gateway]);
    running.set(rows, gateway);
  }
  const { perSecond, rounds, secondsPerRound, goal } = LATENCY;
  console.log(`\n${perSecond} requests per second, open loop, ${rounds} rounds of ${secondsPerRound} s`);
  const latencies = new Map<number, number[]>(sizes.map((size) => [size, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const size of round % 2 === 1 ? sizes : sizes.toReversed()) {
      const measured = await undisturbed(() => openLoop(running.get(size)!, perSecond, secondsPerRound));
      latencies.get(size)!.push(...measured);
    }
  }
  const p99 = (size: number) => percentile(latencies.get(size)!, 0.99);
  for (const size of sizes) {
    console.log(`  ${size.toLocaleString('en').padStart(10)} messages: ${latencyInWords(latencies.get(size)!)}`);
  }
  for (const size of sizes.slice(1)) {
    const what = `p99 of ${size.toLocaleString('en')} beside ${SHORT.toLocaleString('en')}`;
    printVerdict(what, p99(size) / p99(SHORT), { limit: goal, unit: '×' });
  }
}
