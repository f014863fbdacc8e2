import { constants, setPriority } from 'node:os';

/** Lowers the priority of a child process: requests come first. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended.
  }
}
