import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Contender } from './bench.port';

/** Connections of the open loop: enough that no request waits for one. */
const OPEN_LOOP_CONNECTIONS = 64;

/** How often something begins in an open loop. */
export interface Timetable {
  perSecond: number;
  seconds: number;
}

/**
 * Closed loop: each connection asks again as soon as it is answered.
 * @param latencies takes the milliseconds of each answer
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
 * @returns latencies in milliseconds, each from when its request was due: a late start is part of it
 */
export function openLoop(contender: Contender, perSecond: number, seconds: number): Promise<number[]> {
  return withConnections(contender, OPEN_LOOP_CONNECTIONS, (ask) =>
    onTimetable({ perSecond, seconds }, async (due) => {
      await ask();
      return performance.now() - due;
    }),
  );
}

/** So many requests at once. @returns the milliseconds until the last one is answered */
export function burst(contender: Contender, count: number): Promise<number> {
  return withConnections(contender, count, async (ask) => {
    const start = performance.now();
    await Promise.all(Array.from({ length: count }, ask));
    return performance.now() - start;
  });
}

/**
 * Begins work when it is due, whether or not earlier work is done.
 * @param begin is given when it is due, by `performance.now()`
 * @returns what each came to, when all is done
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
  // A refusal is cheaper than the work: it must never pass for speed.
  if (statusCode !== 200) throw new Error(`${contender.name} answered ${statusCode}: ${text}`);
}
