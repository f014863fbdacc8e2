import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Measured, MeasuredContender } from './bench.port';
import { printVerdict } from './goals';
import { closedLoop } from './load';
import { processorTime, processorTimeOfFamily } from './processes';
import { withClient } from './stage';
import { countedStatements } from './statements';
import { percentile } from './statistics';

/** Audit entries and confirmations follow a request within this time, in milliseconds. */
const BACKGROUND_MS = 1_000;
/** An idle process of PostgreSQL reports the rows that it read and wrote up to 10 s late. */
const REPORT_MS = 11_000;

/** Counted since some start; undefined where the system or the server does not tell. */
interface ServerCounts {
  /** Statements that PostgreSQL ran for clients, those of transactions included (pg_stat_statements). */
  statements?: number;
  /** Reads of Redis from its clients' sockets: what arrives together is one. */
  redisReads?: number;
  walBytes: number;
  /** Processor time, in microseconds. */
  nodeUs: number;
  postgresUs: number;
  redisUs?: number;
}

/** Counted for each database, and reported late. */
interface DatabaseCounts {
  /** Inserted, updated and deleted. */
  rowsWritten: number;
  /** Rows of tables that were scanned, and entries of indexes. */
  rowsRead: number;
}

/** What one request costs. */
export interface Costs extends ServerCounts, DatabaseCounts {
  /** Statements, and reads of Redis: fewer where statements go out together. */
  roundTrips?: number;
  p50?: number;
  p99?: number;
}

/** What was done while the costs were counted. */
export interface Work {
  requests: number;
  /** In milliseconds. */
  latencies?: readonly number[];
}

const LINES: readonly { name: string; of: keyof Costs; digits: number }[] = [
  { name: 'statements', of: 'statements', digits: 2 },
  { name: 'round trips, at most', of: 'roundTrips', digits: 2 },
  { name: 'rows written', of: 'rowsWritten', digits: 2 },
  { name: 'rows and index entries read', of: 'rowsRead', digits: 1 },
  { name: 'bytes of the log', of: 'walBytes', digits: 0 },
  { name: 'CPU of Node, µs', of: 'nodeUs', digits: 0 },
  { name: 'CPU of PostgreSQL, µs', of: 'postgresUs', digits: 0 },
  { name: 'CPU of Redis, µs', of: 'redisUs', digits: 0 },
  { name: 'p50, ms', of: 'p50', digits: 1 },
  { name: 'p99, ms', of: 'p99', digits: 1 },
];

/** The most that is good, of what a request of the first costs. */
export type MostCosts = Partial<Record<keyof Costs, number>>;

/** Each in a closed loop of its own; prints what a request costs at each. */
export async function compareCosts(
  contenders: readonly MeasuredContender[],
  redisUrl: string | undefined,
  { connections, seconds, cpuGoal }: { connections: number; seconds: number; cpuGoal?: number },
  most: MostCosts = {},
): Promise<void> {
  console.log(`\n${connections} connections, closed loop, each alone for ${seconds} s`);
  const work = async (contender: MeasuredContender): Promise<Work> => {
    const latencies: number[] = [];
    await closedLoop(contender, connections, seconds, latencies);
    return { requests: latencies.length, latencies };
  };
  const costs = await costsOf(contenders, redisUrl, work);
  printCosts(contenders, costs, 'request', most);
  if (cpuGoal !== undefined) printCpuRatio(costs, cpuGoal);
}

/** The processor time of a request at the second, divided by that at the first: the load generator does not count. */
function printCpuRatio(costs: readonly Costs[], goal: number): void {
  const [first, second] = costs.map(({ nodeUs, postgresUs, redisUs = 0 }) => nodeUs + postgresUs + redisUs);
  printVerdict('CPU of the bare server beside that of the gateway', second! / first!, {
    limit: goal,
    unit: '×',
    least: true,
  });
}

/**
 * Has each one work while the others have nothing to do, so that all that the servers do meanwhile is its own, and divides
 * by its requests. What follows a request in the background (audit, confirmations) counts too.
 */
export async function costsOf<One extends Measured>(
  all: readonly One[],
  redisUrl: string | undefined,
  work: (one: One) => Promise<Work>,
): Promise<Costs[]> {
  const costs: Costs[] = [];
  await sleep(REPORT_MS);
  for (const one of all) {
    const reported = await databaseCounts(one.databaseUrl);
    const before = await serverCounts(one, redisUrl);
    const { requests, latencies } = await work(one);
    await one.settled();
    await sleep(BACKGROUND_MS);
    const after = await serverCounts(one, redisUrl);
    await sleep(REPORT_MS);
    const server = dividedGrowth(before, after, requests);
    const { statements, redisReads = 0 } = server;
    costs.push({
      ...server,
      ...dividedGrowth(reported, await databaseCounts(one.databaseUrl), requests),
      ...(statements !== undefined && { roundTrips: statements + redisReads }),
      ...(latencies && { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) }),
    });
  }
  return costs;
}

/** Prints what a request costs at each, a line for each kind. @param request what it is called */
export function printCosts(
  all: readonly Measured[],
  costs: readonly Costs[],
  request: string,
  most: MostCosts = {},
): void {
  const width = Math.max(10, ...all.map(({ name }) => name.length + 2));
  const line = (name: string, columns: readonly string[]) =>
    console.log(`  ${name.padEnd(28)}${columns.map((column) => column.padStart(width)).join('')}`);
  line(
    `for each ${request}`,
    all.map(({ name }) => name),
  );
  for (const { name, of, digits } of LINES) {
    if (costs.some((one) => one[of] !== undefined))
      line(
        name,
        costs.map((one) => one[of]?.toFixed(digits) ?? '?'),
      );
  }
  for (const { name, of } of LINES) {
    if (most[of] !== undefined) printVerdict(name, costs[0]![of], { limit: most[of], unit: `for each ${request}` });
  }
}

function dividedGrowth<Counts extends object>(before: Counts, after: Counts, requests: number): Counts {
  const grown = Object.entries(after).map(([name, count]: [string, number]) => [
    name,
    (count - (before as Record<string, number>)[name]!) / requests,
  ]);
  return Object.fromEntries(grown) as Counts;
}

async function serverCounts({ databaseUrl, pid }: Measured, redisUrl: string | undefined): Promise<ServerCounts> {
  const redis = redisUrl === undefined ? undefined : await redisCounts(redisUrl);
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ wal: number; pid: number }>(
      `SELECT pg_backend_pid() AS pid, (pg_current_wal_lsn() - '0/0')::float8 AS wal`,
    );
    const { wal, pid: session } = rows[0]!;
    const statements = await countedStatements(client);
    return {
      ...(statements !== undefined && { statements }),
      ...(redis && { redisReads: redis.reads, redisUs: processorTime(redis.pid) }),
      walBytes: wal,
      nodeUs: processorTime(pid),
      postgresUs: processorTimeOfFamily(session),
    };
  });
}

function databaseCounts(databaseUrl: string): Promise<DatabaseCounts> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<DatabaseCounts>(
      `SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 AS "rowsWritten",
         sum(seq_tup_read)::float8 + (SELECT sum(idx_tup_read)::float8 FROM pg_stat_user_indexes) AS "rowsRead"
       FROM pg_stat_user_tables`,
    );
    return rows[0]!;
  });
}

async function redisCounts(url: string): Promise<{ pid: number; reads: number }> {
  const redis = new Redis(url);
  try {
    const number = (info: string, name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
    return {
      pid: number(await redis.info('server'), 'process_id'),
      reads: number(await redis.info('stats'), 'total_reads_processed'),
    };
  } finally {
    redis.disconnect();
  }
}
