import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long it listens whether the process has other work, in milliseconds. */
const LISTEN_MS = 5;
/** From this share of that time on, other work is under way. */
const BUSY = 0.25;
/** What a busy process gets between two pieces of a backup, in milliseconds. */
const PAUSE_MS = 150;
/** After how many pieces it listens. */
const PIECES = 16;
/** How often in a row: what the backup itself has begun (reading ahead, compression) ends meanwhile, other work does not. */
const TIMES = 3;

/**
 * Gives way to requests: an idle process backs up as fast as it can, a busy one writes about 6 MiB a second, so that its
 * processors, and PostgreSQL's, stay with the requests.
 */
export function giveWay(): () => Promise<void> {
  let pieces = 0;
  let busy = false;
  return async () => {
    if (busy) busy = await isBusyFor(PAUSE_MS);
    else if (++pieces % PIECES === 0) busy = await isBusyAgainAndAgain();
  };
}

async function isBusyAgainAndAgain(): Promise<boolean> {
  for (let time = 1; time <= TIMES; time++) if (!(await isBusyFor(LISTEN_MS))) return false;
  return true;
}

async function isBusyFor(ms: number): Promise<boolean> {
  const before = performance.eventLoopUtilization();
  await sleep(ms);
  return performance.eventLoopUtilization(before).utilization > BUSY;
}
