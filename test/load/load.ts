import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Contender } from './bench.port';

/** Connections of the open loop: enough that no request waits for one. */
const OPEN_LOOP_CONNECTIONS = 64;

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
  const pool = new Pool(contender.origin, { connections, pipelining: 1 });
  const start = performance.now();
  const end = start + seconds * 1_000;
  const loop = async () => {
    for (let asked = start; asked < end; asked = performance.now()) {
      await answered(pool, contender);
      latencies.push(performance.now() - asked);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, loop));
    return (latencies.length * 1_000) / (performance.now() - start);
  } finally {
    await pool.destroy();
  }
}

/**
 * Open loop: requests start on a fixed timetable, whether or not earlier ones are answered.
 * @returns latencies in milliseconds, each from when its request was due: a late start is part of it
 */
export async function openLoop(contender: Contender, perSecond: number, seconds: number): Promise<number[]> {
  const pool = new Pool(contender.origin, { connections: OPEN_LOOP_CONNECTIONS, pipelining: 1 });
  const start = performance.now();
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  const measure = async (due: number) => {
    await answered(pool, contender);
    latencies.push(performance.now() - due);
  };
  try {
    for (let index = 0; index < perSecond * seconds; index++) {
      const due = start + (index * 1_000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      running.push(measure(due));
    }
    await Promise.all(running);
    return latencies;
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
