import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Goal } from '../goals';

const MB = 2 ** 20;
const MORE = 1.1;
const TIMEOUT_MS = 30_000;

/** Of a process after its garbage was collected, in MB. */
export interface LivingMemory {
  /** Of V8's heap. */
  heap: number;
  /** Buffers and other memory that objects of the heap hold. */
  external: number;
  /** Resident memory just before the collection, and after it. */
  rssBefore: number;
  rss: number;
}

/** What a gateway must be started with, so that {@link livingMemory} can ask it. */
export function tellingMemory(directory: string): Record<string, string> {
  return {
    MEMORY_FILE: join(directory, 'living-memory.json'),
    NODE_OPTIONS: `--expose-gc --require ${join(__dirname, 'memory-teller.js')}`,
  };
}

/** Has the process collect its garbage. Much of what V8 has is not collected under load: it takes memory as long as there is some. */
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

/** What lives depends on what is under way, not on what was. */
export function livingGoal(early: LivingMemory, late: LivingMemory): Goal {
  const [first, last] = [early, late].map(({ heap, external }) => heap + external) as [number, number];
  return {
    name: `what lives after a collection at most ${MORE} × of that at the beginning`,
    met: last <= first * MORE,
    figure: `${first.toFixed(1)} → ${last.toFixed(1)} MB (${(last / first).toFixed(3)} ×)`,
  };
}
