import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { request } from 'undici';
import type { Bench, Contender, Pair } from '../bench.port';
import { compareThroughput } from '../comparison';
import { closedLoop, openLoop } from '../load';
import { startGatewayServer } from '../gateway-server';
import type { Stage } from '../stage';
import { percentile } from '../statistics';
import { undisturbed } from '../undisturbed';
import { filledDatabase } from './list-database';
import { mixedRequests, oneOfEach } from './list-requests';

const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const HEADERS = { authorization: `Bearer ${API_KEY}` };

/** Messages in the list that both are compared on. */
const COMPARED = 1_000_000;
/** Lists whose latency is compared, each beside the first; LIST_ROWS may name others: `LIST_ROWS=10000,1000000`. */
const SIZES = (process.env['LIST_ROWS'] ?? '10000,1000000,10000000').split(',').map(Number);

/** Rounds in which both answer each kind of request, to be compared. */
const EQUALITY_ROUNDS = 20;
/**
 * Long enough for the compiler, which goes on for some ten thousand requests, and for every connection to have planned every
 * statement.
 */
const WARM_UP = { connections: 16, seconds: 4, rounds: 5 };
const LATENCY = { perSecond: 50, rounds: 6, secondsPerRound: 4, goal: 1.5 };

/**
 * `GET /messages`, 20 of a million with mixed filters, shallow and deep pages and exact totals, beside bare Fastify and
 * pg with the gateway's statement, key check, limits and audit. Then what the size of the list does to the gateway.
 */
export const LIST: Bench = {
  description: 'GET /messages with mixed filters, any page, exact totals, beside bare Fastify + pg; then by size',
  async run(stage) {
    const databaseUrl = await filled(stage, COMPARED);
    const gateway = await startGateway(stage, databaseUrl, COMPARED);
    const bare = await startBare(stage, databaseUrl, COMPARED);
    await assertEqual([gateway, bare], COMPARED);
    for (const contender of [gateway, bare]) await warmUp(contender);
    for (const connections of [8, 32]) {
      await compareThroughput([gateway, bare], { connections, rounds: 11, secondsPerRound: 2, goal: 0.9 });
    }
    await compareSizes(stage, new Map([[COMPARED, gateway]]));
  },
};

async function filled(stage: Stage, rows: number): Promise<string> {
  const start = performance.now();
  const url = await filledDatabase(stage, rows);
  console.log(`${rows.toLocaleString('en')} messages stored in ${Math.round((performance.now() - start) / 1_000)} s`);
  return url;
}

async function startGateway(stage: Stage, databaseUrl: string, rows: number): Promise<Contender> {
  const { origin } = await startGatewayServer(stage, `gateway-${rows}`, databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
  return reader('gateway', origin, rows);
}

async function startBare(stage: Stage, databaseUrl: string, rows: number): Promise<Contender> {
  const environment = { DATABASE_URL: databaseUrl, BARE_API_KEY: API_KEY, ...stage.redis };
  const { origin } = await stage.server('bare', join(__dirname, 'bare-server.js'), environment);
  return reader('bare', origin, rows);
}

function reader(name: string, origin: string, rows: number): Contender {
  const next = mixedRequests(rows);
  return {
    name,
    origin,
    request: () => ({ method: 'GET', path: next(), headers: HEADERS }),
    settled: () => Promise.resolve(),
  };
}

/** Both answer the same: what is compared is the same work. */
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
  const { statusCode, body } = await request(`${origin}${path}`, { headers: HEADERS });
  const { data, meta } = (await body.json()) as { data: unknown; meta: { pagination: unknown } };
  return { path, statusCode, data, pagination: meta.pagination };
}

async function warmUp(contender: Contender): Promise<void> {
  for (let round = 1; round <= WARM_UP.rounds; round++) {
    await closedLoop(contender, WARM_UP.connections, WARM_UP.seconds);
  }
}

/** Open-loop rounds of all in turn; prints p50 and p99 of each, and its p99 as a multiple of the first's. */
async function compareSizes(stage: Stage, running: Map<number, Contender>): Promise<void> {
  for (const rows of SIZES.filter((size) => !running.has(size))) {
    const gateway = await startGateway(stage, await filled(stage, rows), rows);
    await warmUp(gateway);
    running.set(rows, gateway);
  }
  const { perSecond, rounds, secondsPerRound, goal } = LATENCY;
  console.log(`\n${perSecond} requests per second, open loop, ${rounds} rounds of ${secondsPerRound} s`);
  const latencies = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const size of round % 2 === 1 ? SIZES : SIZES.toReversed()) {
      const measured = await undisturbed(() => openLoop(running.get(size)!, perSecond, secondsPerRound));
      latencies.get(size)!.push(...measured);
    }
  }
  const reference = percentile(latencies.get(SIZES[0]!)!, 0.99);
  for (const [size, measured] of latencies) {
    const [p50, p99] = [percentile(measured, 0.5), percentile(measured, 0.99)];
    const ratio = p99 / reference;
    const verdict = size === SIZES.at(-1) ? ` (goal at most ${goal}: ${ratio <= goal ? 'met' : 'MISSED'})` : '';
    console.log(
      `  ${size.toLocaleString('en').padStart(10)} messages: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${ratio.toFixed(2)} × the first's p99${verdict}`,
    );
  }
}
