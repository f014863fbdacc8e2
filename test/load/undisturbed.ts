import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The most of the processors' time, idle time included, that the host may withhold during a measurement. */
const TOLERATED = 0.02;
const TRIES = 5;
/** In all, of a bench: a host that is always busy would keep it for hours. */
const REPEATS = 40;
/** After a disturbed one: they rarely come alone. */
const PAUSE_MS = 1_000;

/** Processor time since the start of the machine, in ticks. */
interface Ticks {
  all: number;
  /** Withheld by the host while this machine had work. */
  stolen: number;
}

let repeated = 0;
let kept = 0;

/**
 * Measures again when the host of this virtual machine took processor time away meanwhile: p99 would be the neighbours'.
 * After five tries the least disturbed counts. Where the system does not tell (it is no Linux), each first try does.
 * @param settled what each try is followed by, and its disturbances do not count
 */
export async function undisturbed<T>(measure: () => Promise<T>, settled?: () => Promise<void>): Promise<T> {
  let best: { result: T; stolen: number } | undefined;
  for (let tries = 1; ; tries++) {
    const before = ticks();
    const result = await measure();
    const stolen = shareStolen(before, ticks());
    await settled?.();
    if (stolen <= TOLERATED) return result;
    if (!best || stolen < best.stolen) best = { result, stolen };
    if (tries === TRIES || repeated === REPEATS) {
      kept += 1;
      return best.result;
    }
    repeated += 1;
    await sleep(PAUSE_MS);
  }
}

/** What of the measurements was disturbed, in a line; then counts anew. */
export function disturbances(): string | undefined {
  if (repeated === 0) return undefined;
  const line = `the host withheld more than ${TOLERATED * 100} % of the processors: ${repeated} repeats, ${kept} measurements kept all the same`;
  repeated = kept = 0;
  return line;
}

function shareStolen(before: Ticks, after: Ticks): number {
  const all = after.all - before.all;
  return all > 0 ? (after.stolen - before.stolen) / all : 0;
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)). */
function ticks(): Ticks {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const counts = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: counts.reduce((sum, count) => sum + count, 0), stolen: counts[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}
