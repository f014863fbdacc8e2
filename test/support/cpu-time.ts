import { readFileSync, readdirSync } from 'node:fs';

/** Milliseconds of CPU time of processes and all their descendants. Ended descendants count in steps of 10 ms. */
export function cpuTimeOf(pids: readonly number[]): number {
  const parents = new Map(allProcesses().map((pid) => [pid, parentOf(pid)]));
  const tree = new Set(pids);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  let milliseconds = 0;
  for (const pid of tree) milliseconds += ownTime(pid) + endedChildrenTime(pid);
  return milliseconds;
}

function allProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The fields of `/proc/<pid>/stat` after the name: the state is first (proc_pid_stat(5)). Empty if the process has ended. */
function fieldsOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1] ?? 0);
}

/** The first number in a thread's `schedstat` is its CPU time in nanoseconds. */
function ownTime(pid: number): number {
  let threads: string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // The process has ended.
  }
  const times = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) || 0);
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** Linux reports these times in hundredths of a second. */
function endedChildrenTime(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(13, 15).map(Number);
  return (user + system) * 10;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
