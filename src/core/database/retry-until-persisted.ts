import { setTimeout as sleep } from 'node:timers/promises';
import { databaseErrorOf, isDataFault } from './connections/data-fault';

/** Who waits for an outcome that cannot be recorded is told after this, in milliseconds. */
export const PERSIST_TIMEOUT_MS = 4_000;

/** Pauses before the next try, in milliseconds; the last one repeats. Shorter than the grace after an outage (Outage). */
const PAUSES_MS = [100, 250, 500];

/** SQLSTATE class 42: the statement is wrong. */
const WRONG_STATEMENT = /^42/;

/**
 * Records what has happened outside and cannot be undone: an outage of the database is waited out, however long it is.
 * @param record must change nothing more when it is run again, or after another process took over: name a fence
 * @param signal gives up; rejects with the last failure then
 * @throws what the database has against the record itself
 */
export async function retryUntilPersisted<T>(record: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await record();
    } catch (error) {
      if (signal?.aborted || isHopeless(error)) throw error;
      const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // tried once more, then given up
    }
  }
}

/** It fails each time: the database has something against the record, or the program is wrong. */
function isHopeless(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  if (refusal) return isDataFault(refusal) || WRONG_STATEMENT.test(refusal.code ?? '');
  return error instanceof TypeError || error instanceof RangeError;
}
