import { readdir } from 'node:fs/promises';
import { request } from 'undici';
import type { Goal } from '../goals';
import { residentMemory } from '../processes';
import { quarterMedians } from '../statistics';

const EVERY_MS = 1_000;
/** Tolerance: retries come in waves, so the number of connections varies. */
const WAVES = 1.1;

export interface Sample {
  /** Resident memory in MB. */
  rss: number;
  /** Open file descriptors: sockets, pipes, files. */
  descriptors: number;
  /** Libuv's active handles, from `/metrics`. */
  handles: number;
}

/** Samples the memory, file descriptors and handles of a process each second. Needs Linux's /proc. */
export class ProcessSamples {
  private readonly samples: Sample[] = [];
  private readonly timer = setInterval(() => void this.take().catch(() => undefined), EVERY_MS);

  /** @param origin serves `/metrics` */
  constructor(
    private readonly pid: number,
    private readonly origin: string,
  ) {}

  stop(): void {
    clearInterval(this.timer);
  }

  get count(): number {
    return this.samples.length;
  }

  /** Compares the last quarter with the second. Medians, because garbage collection makes memory go up and down. */
  memoryGoal(): Goal {
    const { second, last } = this.compare(({ rss }) => rss);
    return {
      name: 'memory of the last quarter at most 1.1 × that of the second',
      met: last <= second * 1.1,
      figure: `${second.toFixed(1)} → ${last.toFixed(1)} MB (${(last / second).toFixed(3)} ×)`,
    };
  }

  /** `memoryGoal`, and the same for open descriptors and handles. */
  goals(): Goal[] {
    const descriptors = this.compare((sample) => sample.descriptors);
    const handles = this.compare((sample) => sample.handles);
    return [
      this.memoryGoal(),
      ...Object.entries({ descriptors, handles }).map(([name, { second, last }]) => ({
        name: `open ${name} of the last quarter at most ${WAVES} × those of the second`,
        met: last <= second * WAVES,
        figure: `${second} → ${last}`,
      })),
    ];
  }

  /** The memory of each quarter, as text. */
  quarters(): string {
    return quarterMedians(this.samples.map(({ rss }) => rss))
      .map((value) => value.toFixed(1))
      .join(', ');
  }

  private compare(of: (sample: Sample) => number): { second: number; last: number } {
    const [, second, , last] = quarterMedians(this.samples.map(of));
    return { second, last };
  }

  private async take(): Promise<void> {
    this.samples.push(await sampleOf(this.pid, this.origin));
  }
}

async function sampleOf(pid: number, origin: string): Promise<Sample> {
  const [descriptors, handles] = await Promise.all([readdir(`/proc/${pid}/fd`), activeHandles(origin)]);
  return { rss: residentMemory(pid), descriptors: descriptors.length, handles };
}

/** Sums the series of all handle types. */
async function activeHandles(origin: string): Promise<number> {
  const { body } = await request(`${origin}/metrics`);
  const counts = [...(await body.text()).matchAll(/^nodejs_active_handles\{[^}]*\} (\S+)/gm)];
  return counts.length === 0 ? NaN : counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Used size of V8's heap in MB, including garbage since the last collection. */
export async function usedHeap(origin: string): Promise<number> {
  return (await metricOf(origin, 'nodejs_heap_size_used_bytes')) / 2 ** 20;
}

async function metricOf(origin: string, name: string): Promise<number> {
  const { body } = await request(`${origin}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await body.text())?.[1] ?? NaN);
}
