import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Goal } from '../goals';

const MB = 2 ** 20;
const MORE = 1.1;
const TIMEOUT_MS = 30_000;

/** Memory of a process after a garbage collection, in MB. */
export interface LivingMemory {
  /** Used size of V8's heap. */
  heap: number;
  /** Buffers and other memory outside the heap that its objects own. */
  external: number;
  /** Resident memory just before the collection; `rss`: after it. */
  rssBefore: number;
  rss: number;
}

/** The environment of a gateway that {@link livingMemory} can measure. */
export function tellingMemory(directory: string): Record<string, string> {
  return {
    MEMORY_FILE: join(directory, 'living-memory.json'),
    NODE_OPTIONS: `--expose-gc --require ${join(__dirname, 'memory-teller.js')}`,
  };
}

/** Makes the process collect its garbage, and measures it. Under load, V8 delays collections while it can get more memory. */
export async function livingMemory(pid: number, environment: Record<string, string>): Promise<LivingMemory> {
  const file = environment['MEMORY_FILE']!;
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (const until = performance.now() + TIMEOUT_MS; performance.now() < until; await sleep(50)) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const told = JSON.parse(text) as Record<'before' | 'rss' | 'heapUsed' | 'external', number>;
    return {
      heap: told.heapUsed / MB,
      external: told.external / MB,
      rssBefore: told.before / MB,
      rss: told.rss / MB,
    };
  }
  throw new Error('the gateway did not say what it keeps');
}

export function describeMemory({ heap, external, rssBefore, rss }: LivingMemory): string {
  const [first, ...others] = [heap, external, rssBefore, rss].map((mb) => mb.toFixed(1));
  return `${first} MB on the heap, ${others[0]} external; resident ${others[1]} before and ${others[2]} after the collection`;
}

/** Live memory must depend on the work in progress, not on past work. */
export function livingGoal(early: LivingMemory, late: LivingMemory): Goal {
  const [first, last] = [early, late].map(({ heap, external }) => heap + external) as [number, number];
  return {
    name: `what lives after a collection at most ${MORE} × of that at the beginning`,
    met: last <= first * MORE,
    figure: `${first.toFixed(1)} → ${last.toFixed(1)} MB (${(last / first).toFixed(3)} ×)`,
  };
}
