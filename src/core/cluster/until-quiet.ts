import { setImmediate as nextTurn } from 'node:timers/promises';

/** A longer turn of the event loop may have left a connection in the kernel's queue, in milliseconds. */
const QUIET_TURN_MS = 0.1;
/** A listener that never becomes quiet closes after this time, in milliseconds. */
const QUEUE_TIMEOUT_MS = 5_000;

/** The log line about a listener that never became quiet. */
export const NEVER_QUIET = 'Clients kept connecting until the end of the drain: waiting connections may be reset';

/**
 * Waits until no connection waits to be accepted: when a listener closes, the kernel resets waiting connections, even if they
 * have already sent a request. libuv accepts one connection per turn of the event loop.
 * @param accepted counts the connections that this process has accepted
 * @param timeoutMs how long to wait for a listener that never becomes quiet
 * @returns false when the time was up before the listener became quiet
 */
export async function untilQuiet(accepted: () => number, timeoutMs = QUEUE_TIMEOUT_MS): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const before = accepted();
    const startedAt = performance.now();
    await nextTurn();
    if (before === accepted() && performance.now() - startedAt < QUIET_TURN_MS) return true;
  }
  return false;
}
