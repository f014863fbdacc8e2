import { request } from 'undici';
import type { Goal } from '../goals';
import { residentMemory } from '../processes';
import { quarterMedians } from '../statistics';

const EVERY_MS = 1_000;

/** Samples the gateway's memory, open sockets and health latency each second. Needs Linux's /proc. */
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

  /** Compares medians, because garbage collection makes memory go up and down. */
  goal(): Goal {
    const [, second, , last] = quarterMedians(this.memory);
    return {
      name: 'memory of the last quarter at most 1.1 × that of the second',
      met: last <= second * 1.1,
      figure: `${second.toFixed(1)} → ${last.toFixed(1)} MB (${(last / second).toFixed(3)} ×)`,
    };
  }

  /** A text for the output. */
  summary(): string {
    const memory = quarterMedians(this.memory).map((value) => value.toFixed(1));
    return `memory by quarters: ${memory.join(', ')} MB; open sockets: ${quarterMedians(this.sockets).join(', ')}, at most ${Math.max(...this.sockets)}`;
  }

  private async take(): Promise<void> {
    const asked = performance.now();
    const { body } = await request(`${this.origin}/health/live`);
    await body.dump();
    this.healthMs.push(performance.now() - asked);
    this.memory.push(residentMemory(this.pid));
    this.sockets.push(await openSockets(this.origin));
  }
}

export async function openSockets(origin: string): Promise<number> {
  const { body } = await request(`${origin}/metrics`);
  return Number(/^gateway_open_sockets (\S+)/m.exec(await body.text())?.[1] ?? NaN);
}
