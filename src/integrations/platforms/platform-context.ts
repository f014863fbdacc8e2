import { AsyncLocalStorage } from 'node:async_hooks';

/** Handles a fault that no caller can catch: an exception in a timer or event, or an unhandled rejection. */
export type StrayFaultHandler = (error: unknown) => void;

/** Node carries it through timers, sockets and promises up to the `uncaughtException` event. */
const current = new AsyncLocalStorage<StrayFaultHandler | undefined>();

/** Runs a platform's code. `onStrayFault` gets each fault of it, or of anything it starts, that no caller can catch. */
export function insidePlatform<T>(onStrayFault: StrayFaultHandler, work: () => T): T {
  return current.run(onStrayFault, work);
}

/** A signal for a platform's code, made from one of ours. */
interface PlatformSignal {
  signal: AbortSignal;
  abort: () => void;
  /** Call it when the platform no longer needs the signal. */
  release: () => void;
}

/**
 * Makes a signal that aborts with ours, in the platform's context: Node attributes a listener's exception to the code
 * that aborts.
 */
export function platformSignal(ours: AbortSignal, onStrayFault: StrayFaultHandler): PlatformSignal {
  const own = new AbortController();
  const abort = (): void => insidePlatform(onStrayFault, () => own.abort(ours.reason));
  if (ours.aborted) abort();
  ours.addEventListener('abort', abort, { once: true });
  return { signal: own.signal, abort, release: () => ours.removeEventListener('abort', abort) };
}

/** Runs our own code when a platform's code calls it: its faults count as ours. */
export function outsidePlatform<T>(work: () => T): T {
  return current.run(undefined, work);
}

/**
 * Passes each stray fault of the process to the platform that caused it. A fault of our own code goes to `end`, because
 * the state that it left is unknown.
 */
export function watchStrayFaults(end: (error: unknown) => void): void {
  const route = (error: unknown): void => (current.getStore() ?? end)(error);
  process.on('uncaughtException', route);
  process.on('unhandledRejection', route);
}
