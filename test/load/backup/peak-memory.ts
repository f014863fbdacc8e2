import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../statistics';

const EVERY_MS = 50;

/** What a process and its children hold while nothing is asked of it: the median of that many seconds, in MB. */
export async function idleMemory(pid: number, seconds: number): Promise<number> {
  const samples: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    samples.push(await memoryOf(pid));
    await sleep(EVERY_MS);
  }
  return median(samples);
}

/** Does the work, and looks meanwhile at the most that the process and its children hold, in MB. */
export async function withPeakMemory<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peak: number }> {
  let peak = 0;
  const look = async (): Promise<void> => void (peak = Math.max(peak, await memoryOf(pid)));
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS);
  try {
    const result = await work();
    await look();
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
}

/** A page that several processes share counts once: half for each of two (Linux: `Pss` in smaps_rollup). */
async function memoryOf(pid: number): Promise<number> {
  const [rollup, children] = await Promise.all([
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
  ]);
  const own = Number(/^Pss: +(\d+) kB$/m.exec(rollup)![1]) / 1_024;
  // One that has ended meanwhile holds nothing.
  const others = children.trim().split(' ').filter(Boolean).map(Number);
  const sums = await Promise.all(others.map((child) => memoryOf(child).catch(() => 0)));
  return sums.reduce((sum, held) => sum + held, own);
}
