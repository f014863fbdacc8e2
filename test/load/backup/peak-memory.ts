import { setTimeout as sleep } from 'node:timers/promises';
import { residentMemory } from '../soak/process-samples';
import { median } from '../statistics';

const EVERY_MS = 50;

/** What a process holds while nothing is asked of it: the median of that many seconds, in MB. */
export async function idleMemory(pid: number, seconds: number): Promise<number> {
  const samples: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    samples.push(await residentMemory(pid));
    await sleep(EVERY_MS);
  }
  return median(samples);
}

/** Does the work, and looks meanwhile at the most that the process holds, in MB. */
export async function withPeakMemory<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peak: number }> {
  let peak = 0;
  const look = async (): Promise<void> => void (peak = Math.max(peak, await residentMemory(pid)));
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS);
  try {
    const result = await work();
    await look();
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
}
