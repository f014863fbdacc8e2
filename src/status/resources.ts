import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

export interface Resources {
  cpu_percent: number;
  memory_percent: number;
  disk_percent: number;
}

interface CpuTimes {
  busy: number;
  total: number;
}

function cpuTimes(): CpuTimes {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq;
    busy += all - times.idle;
    total += all;
  }
  return { busy, total };
}

/** Shortest interval, in milliseconds: processor times have a resolution of 10 ms, too coarse for a shorter interval. */
const CPU_SPAN_MS = 1_000;

/** Usage of this machine: its processors over at least the last second, its memory, and the disk of the data directory. */
export class ResourceMeter {
  private last = cpuTimes();
  private measuredAt = -Infinity;
  private cpuPercent = 0;

  constructor(private readonly directory: string) {}

  async read(): Promise<Resources> {
    if (performance.now() - this.measuredAt >= CPU_SPAN_MS) this.measure();
    return {
      cpu_percent: round(this.cpuPercent),
      memory_percent: round(memoryPercent()),
      disk_percent: round(await this.diskPercent()),
    };
  }

  private measure(): void {
    const now = cpuTimes();
    const total = now.total - this.last.total;
    if (total > 0) this.cpuPercent = ((now.busy - this.last.busy) / total) * 100;
    this.last = now;
    this.measuredAt = performance.now();
  }

  private async diskPercent(): Promise<number> {
    try {
      const { blocks, bavail } = await statfs(this.directory);
      return (1 - bavail / blocks) * 100;
    } catch {
      return 0; // without embedded PostgreSQL the data directory may not exist
    }
  }
}

/** In a container, the container's memory limit replaces the machine's memory. */
function memoryPercent(): number {
  const limit = process.constrainedMemory();
  if (limit > 0 && limit < totalmem()) return (1 - process.availableMemory() / limit) * 100;
  return (1 - freemem() / totalmem()) * 100;
}

function round(percent: number): number {
  return Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;
}
