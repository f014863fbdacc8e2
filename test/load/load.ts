import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Contender } from './bench.port';

/** Connections of the open loop: enough that no request waits for a connection. */
const OPEN_LOOP_CONNECTIONS = 64;

/** Rate and duration of an open loop. */
export interface Timetable {
  perSecond: number;
  seconds: number;
}

/**
 * Closed loop: each connection sends the next request as soon as it has an answer.
 * @param latencies collects the latency of each answer, in milliseconds
 * @returns answers per second
 */
export async function closedLoop(
  contender: Contender,
  connections: number,
  seconds: number,
  latencies: number[] = [],
): Promise<number> {
  return withConnections(contender, connections, async (ask) => {
    const start = performance.now();
    const end = start + seconds * 1_000;
    const loop = async () => {
      for (let asked = start; asked < end; asked = performance.now()) {
        await ask();
        latencies.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: connections }, loop));
    return (latencies.length * 1_000) / (performance.now() - start);
  });
}

/**
 * Open loop: requests start on a fixed timetable, whether or not earlier ones are answered.
 * @returns latencies in milliseconds, from when each request was due: a late start counts
 */
export function openLoop(contender: Contender, perSecond: number, seconds: number): Promise<number[]> {
  return withConnections(contender, OPEN_LOOP_CONNECTIONS, (ask) =>
    onTimetable({ perSecond, seconds }, async (due) => {
      await ask();
      return performance.now() - due;
    }),
  );
}

/** Sends `count` requests at once. @returns the milliseconds until the last answer */
export function burst(contender: Contender, count: number): Promise<number> {
  return withConnections(contender, count, async (ask) => {
    const start = performance.now();
    await Promise.all(Array.from({ length: count }, ask));
    return performance.now() - start;
  });
}

/**
 * Begins work on a timetable, whether or not earlier work is done.
 * @param begin gets the time at which it was due, by `performance.now()`
 * @returns all results, when all work is done
 */
export async function onTimetable<T>(
  { perSecond, seconds }: Timetable,
  begin: (due: number) => Promise<T>,
): Promise<T[]> {
  const start = performance.now();
  const running: Promise<T>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    running.push(begin(due));
  }
  return Promise.all(running);
}

async function withConnections<T>(
  contender: Contender,
  connections: number,
  work: (ask: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const pool = new Pool(contender.origin, { connections, pipelining: 1 });
  try {
    return await work(() => answered(pool, contender));
  } finally {
    await pool.destroy();
  }
}

async function answered(pool: Pool, contender: Contender): Promise<void> {
  const { statusCode, body } = await pool.request(contender.request());
  const text = await body.text();
  // A refusal costs less than the work, so it must not count as a fast answer.
  if (statusCode !== 200) throw new Error(`${contender.name} answered ${statusCode}: ${text}`);
}
