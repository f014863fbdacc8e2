import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { MeasuredContender } from './bench.port';
import { closedLoop } from './load';
import { percentile } from './statistics';
import { withClient } from './stage';

/** Audit entries and confirmations follow a request within this time, in milliseconds. */
const BACKGROUND_MS = 1_000;
/** An idle process of PostgreSQL reports the rows that it wrote, and its commits, up to 10 s late. */
const REPORT_MS = 11_000;
/** A tick of /proc, in microseconds: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Counted since some start; undefined where the system or the server does not tell. */
interface Counts {
  /** Statements that PostgreSQL ran for clients, those of transactions included (pg_stat_statements). */
  statements?: number;
  /** Scripts that Redis ran: each is one round trip. */
  scripts?: number;
  commits: number;
  /** Rows inserted, updated and deleted. */
  rows: number;
  walBytes: number;
  /** Processor time, in microseconds. */
  nodeUs: number;
  postgresUs: number;
  redisUs?: number;
}

/** What one request costs. */
export interface Costs extends Counts {
  perSecond: number;
  p50: number;
  p99: number;
}

/**
 * Has one contender work alone, so that all that the servers do meanwhile is its own, and divides by its requests.
 * What follows a request in the background (audit, confirmations) counts too.
 */
export async function costsOf(
  contender: MeasuredContender,
  redisUrl: string | undefined,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Costs> {
  const before = await countsOf(contender, redisUrl);
  const latencies: number[] = [];
  const perSecond = await closedLoop(contender, connections, seconds, latencies);
  await contender.settled();
  const after = await countsOf(contender, redisUrl);
  const each = (count: (of: Counts) => number | undefined): number | undefined => {
    const [first, last] = [count(before), count(after)];
    return first === undefined || last === undefined ? undefined : (last - first) / latencies.length;
  };
  return {
    perSecond,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    statements: each(({ statements }) => statements),
    scripts: each(({ scripts }) => scripts),
    commits: each(({ commits }) => commits)!,
    rows: each(({ rows }) => rows)!,
    walBytes: each(({ walBytes }) => walBytes)!,
    nodeUs: each(({ nodeUs }) => nodeUs)!,
    postgresUs: each(({ postgresUs }) => postgresUs)!,
    redisUs: each(({ redisUs }) => redisUs),
  };
}

/** Prints what a request costs at each, a line for each kind. */
export function printCosts(contenders: readonly string[], costs: readonly Costs[]): void {
  const line = (name: string, of: (one: Costs) => number | undefined, digits = 0) =>
    console.log(`  ${name.padEnd(26)}${costs.map((one) => (of(one)?.toFixed(digits) ?? '?').padStart(10)).join('')}`);
  console.log(`  ${'for each request'.padEnd(26)}${contenders.map((name) => name.padStart(10)).join('')}`);
  line('statements', ({ statements }) => statements, 2);
  line('scripts in Redis', ({ scripts }) => scripts, 2);
  line('commits', ({ commits }) => commits, 2);
  line('rows written', ({ rows }) => rows, 2);
  line('bytes of the log', ({ walBytes }) => walBytes);
  line('CPU of Node, µs', ({ nodeUs }) => nodeUs);
  line('CPU of PostgreSQL, µs', ({ postgresUs }) => postgresUs);
  line('CPU of Redis, µs', ({ redisUs }) => redisUs);
  line('p50, ms', ({ p50 }) => p50, 1);
  line('p99, ms', ({ p99 }) => p99, 1);
}

async function countsOf(contender: MeasuredContender, redisUrl: string | undefined): Promise<Counts> {
  await sleep(BACKGROUND_MS);
  const database = await withClient(contender.databaseUrl, async (client) => {
    const [row] = (
      await client.query<{ wal: number; pid: number }>(
        `SELECT pg_backend_pid() AS pid, (pg_current_wal_lsn() - '0/0')::float8 AS wal`,
      )
    ).rows;
    const statements = await client
      .query<{ calls: number }>(
        `SELECT sum(calls)::float8 AS calls FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = current_database()`,
      )
      .then(
        ({ rows }) => rows[0]!.calls,
        () => undefined,
      );
    return { ...row!, statements, postgresTicks: familyTicks(parentOf(row!.pid)) };
  });
  const redis = redisUrl === undefined ? undefined : await redisCounts(redisUrl);
  const now = {
    statements: database.statements,
    scripts: redis?.scripts,
    walBytes: database.wal,
    nodeUs: ticksOf(contender.pid) * TICK_US,
    postgresUs: database.postgresTicks * TICK_US,
    redisUs: redis && ticksOf(redis.pid) * TICK_US,
  };
  await sleep(REPORT_MS);
  return { ...now, ...(await reportedCounts(contender.databaseUrl)) };
}

function reportedCounts(databaseUrl: string): Promise<{ commits: number; rows: number }> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ commits: number; rows: number }>(
      `SELECT xact_commit::float8 AS commits,
         (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows
       FROM pg_stat_database WHERE datname = current_database()`,
    );
    return rows[0]!;
  });
}

async function redisCounts(url: string): Promise<{ pid: number; scripts: number }> {
  const redis = new Redis(url);
  try {
    const server = await redis.info('server');
    const commands = await redis.info('commandstats');
    const scripts = [...commands.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].map(([, calls]) => Number(calls));
    return {
      pid: Number(/^process_id:(\d+)/m.exec(server)?.[1]),
      scripts: scripts.reduce((sum, calls) => sum + calls, 0),
    };
  } finally {
    redis.disconnect();
  }
}

/** The fields of /proc/<pid>/stat behind the name, which may hold spaces: state, parent, … (proc_pid_stat(5)). */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** User and system time. */
function ticksOf(pid: number): number {
  const stat = statOf(pid);
  return Number(stat[11]) + Number(stat[12]);
}

/** Of a process, its children, and the children that have ended. */
function familyTicks(parent: number): number {
  const stat = statOf(parent);
  let ticks = ticksOf(parent) + Number(stat[13]) + Number(stat[14]);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (parentOf(Number(name)) === parent) ticks += ticksOf(Number(name));
    } catch {
      // It has ended meanwhile: its time is among the parent's at the next look.
    }
  }
  return ticks;
}
