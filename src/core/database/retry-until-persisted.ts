import { setTimeout as sleep } from 'node:timers/promises';
import { databaseErrorOf, isDataFault } from './connections/data-fault';

/** A caller stops waiting for an outcome that cannot be recorded after this many milliseconds. */
export const PERSIST_TIMEOUT_MS = 4_000;

/** Pauses between attempts, in milliseconds; the last one repeats. Shorter than the grace after an outage (Outage). */
const PAUSES_MS = [100, 250, 500];

/** SQLSTATE class 42: the statement is wrong. */
const WRONG_STATEMENT = /^42/;

/**
 * Records the outcome of an action outside the database that cannot be undone: it retries until an outage ends, however
 * long.
 * @param record must change nothing when it runs again, or after another process took over: name a fence
 * @param signal when it aborts, the last failure is thrown
 * @throws the database's error if it refuses the record itself
 */
export async function retryUntilPersisted<T>(record: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await record();
    } catch (error) {
      if (signal?.aborted || isPermanent(error)) throw error;
      const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // one more attempt, then it throws
    }
  }
}

/** Whether every attempt would fail: the database refuses the record, or the program is wrong. */
function isPermanent(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  if (refusal) return isDataFault(refusal) || WRONG_STATEMENT.test(refusal.code ?? '');
  return error instanceof TypeError || error instanceof RangeError;
}
