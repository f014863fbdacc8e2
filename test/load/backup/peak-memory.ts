import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../statistics';

const EVERY_MS = 50;

/** Memory of an idle process and its children in MB: the median over some seconds. */
export async function idleMemory(pid: number, seconds: number): Promise<number> {
  const samples: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    samples.push(await memoryOf(pid));
    await sleep(EVERY_MS);
  }
  return median(samples);
}

/** Runs `work` and measures the peak memory of the process and its children meanwhile, in MB. */
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

/** Memory in MB. Shared pages count proportionally (`Pss` in Linux's smaps_rollup), so the sum counts each page once. */
async function memoryOf(pid: number): Promise<number> {
  const [rollup, children] = await Promise.all([
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
  ]);
  const own = Number(/^Pss: +(\d+) kB$/m.exec(rollup)![1]) / 1_024;
  // A child that has ended meanwhile counts as 0.
  const others = children.trim().split(' ').filter(Boolean).map(Number);
  const sums = await Promise.all(others.map((child) => memoryOf(child).catch(() => 0)));
  return sums.reduce((sum, held) => sum + held, own);
}
