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

/** Counters that only grow; undefined if the system or the server does not report them. */
interface ServerCounts {
  /** Statements that PostgreSQL ran for clients, including BEGIN and COMMIT (pg_stat_statements). */
  statements?: number;
  /** Reads of Redis from client sockets; commands that arrive together count as one. */
  redisReads?: number;
  walBytes: number;
  /** Processor time, in microseconds. */
  nodeUs: number;
  postgresUs: number;
  redisUs?: number;
}

/** Counters per database, which PostgreSQL reports late. */
interface DatabaseCounts {
  /** Inserted, updated and deleted. */
  rowsWritten: number;
  /** Table rows and index entries that were scanned. */
  rowsRead: number;
}

/** The costs of one request. */
export interface Costs extends ServerCounts, DatabaseCounts {
  /** Statements plus reads of Redis: an upper bound, because a client may pipeline statements. */
  roundTrips?: number;
  p50?: number;
  p99?: number;
}

/** The work during which costs were counted. */
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

/** The highest acceptable costs of a request of the first contender. */
export type MostCosts = Partial<Record<keyof Costs, number>>;

/** Runs each contender alone in a closed loop and prints its costs per request. */
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
  if (cpuGoal !== undefined) printCpuRatio(contenders, costs, cpuGoal);
}

/** CPU time of a request at the second contender divided by that at the first, without the load generator. */
function printCpuRatio(contenders: readonly Measured[], costs: readonly Costs[], goal: number): void {
  const [first, second] = costs.map(({ nodeUs, postgresUs, redisUs = 0 }) => nodeUs + postgresUs + redisUs);
  const [measured, other] = contenders.map(({ name }) => name);
  printVerdict(`CPU of ${other} beside that of ${measured}`, second! / first!, {
    limit: goal,
    unit: '×',
    least: true,
  });
}

/**
 * Runs each contender while the others are idle, so that the servers work only for it, and divides the counts by its requests.
 * Background work of a request (audit, confirmations) counts too.
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

/** Prints the costs per request, one line per kind of cost. @param request the word for a request */
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
