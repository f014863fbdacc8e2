import { constants, setPriority } from 'node:os';

/** Of a process beside this one: where processors are short, requests go first. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
