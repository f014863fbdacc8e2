import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of a tick in /proc: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Resident memory of a process, in MB. */
export function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
}

/** User and system time of a process, in microseconds. */
export function processorTime(pid: number): number {
  return ticksOf(pid) * TICK_US;
}

/** The same for the parent of a process and all children of the parent, including ended children. */
export function processorTimeOfFamily(pid: number): number {
  const parent = parentOf(pid);
  const stat = statOf(parent);
  let ticks = ticksOf(parent) + Number(stat[13]) + Number(stat[14]);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (parentOf(Number(name)) === parent) ticks += ticksOf(Number(name));
    } catch {
      // The process has just ended. From the next call on, the parent's time includes it.
    }
  }
  return ticks * TICK_US;
}

/** The fields of /proc/<pid>/stat after the name, which may contain spaces: state, parent, … (proc_pid_stat(5)). */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

function ticksOf(pid: number): number {
  const stat = statOf(pid);
  return Number(stat[11]) + Number(stat[12]);
}
