import { request } from 'undici';
import { median } from '../statistics';
import type { Goal } from '../soak/goals';
import { residentMemory } from '../soak/process-samples';

const EVERY_MS = 1_000;

/** What the gateway holds, and how long its health takes, looked at each second (Linux: it reads /proc). */
export class GatewaySamples {
  readonly healthMs: number[] = [];
  private readonly memory: number[] = [];
  private readonly sockets: number[] = [];
  private readonly timer = setInterval(() => void this.take().catch(() => this.healthMs.push(Infinity)), EVERY_MS);

  constructor(
    private readonly pid: number,
    private readonly origin: string,
  ) {}

  stop(): void {
    clearInterval(this.timer);
  }

  /** The collector of garbage makes waves: medians. */
  goal(): Goal {
    const [, second, , last] = quartersOf(this.memory) as [number, number, number, number];
    return {
      name: 'memory of the last quarter at most 1.1 × that of the second',
      met: last <= second * 1.1,
      figure: `${second.toFixed(1)} → ${last.toFixed(1)} MB (${(last / second).toFixed(3)} ×)`,
    };
  }

  /** For a reader. */
  summary(): string {
    const memory = quartersOf(this.memory).map((value) => value.toFixed(1));
    return `memory by quarters: ${memory.join(', ')} MB; open sockets: ${quartersOf(this.sockets).join(', ')}, at most ${Math.max(...this.sockets)}`;
  }

  private async take(): Promise<void> {
    const asked = performance.now();
    const { body } = await request(`${this.origin}/health/live`);
    await body.dump();
    this.healthMs.push(performance.now() - asked);
    this.memory.push(await residentMemory(this.pid));
    this.sockets.push(await openSockets(this.origin));
  }
}

export async function openSockets(origin: string): Promise<number> {
  const { body } = await request(`${origin}/metrics`);
  return Number(/^gateway_open_sockets (\S+)/m.exec(await body.text())?.[1] ?? NaN);
}

function quartersOf(values: readonly number[]): number[] {
  const length = values.length / 4;
  return [0, 1, 2, 3].map((quarter) =>
    median(values.slice(Math.round(quarter * length), Math.round((quarter + 1) * length))),
  );
}
