import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long it listens whether the process has other work, in milliseconds. */
const LISTEN_MS = 5;
/** From this share of that time on, other work is under way. */
const BUSY = 0.25;
/** What a busy process gets between two pieces of a backup, in milliseconds. */
const PAUSE_MS = 100;
/** After how many pieces it listens. */
const PIECES = 4;

/**
 * Gives way to requests: an idle process backs up as fast as it can, a busy one writes about 10 MiB a second, so that its
 * processors, and PostgreSQL's, stay with the requests.
 */
export function giveWay(): () => Promise<void> {
  let pieces = 0;
  let busy = false;
  return async () => {
    if (!busy && ++pieces % PIECES !== 0) return;
    const before = performance.eventLoopUtilization();
    await sleep(busy ? PAUSE_MS : LISTEN_MS);
    busy = performance.eventLoopUtilization(before).utilization > BUSY;
  };
}
