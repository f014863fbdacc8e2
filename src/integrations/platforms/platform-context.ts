import { AsyncLocalStorage } from 'node:async_hooks';

/** Told of a fault that nobody can catch: thrown in a timer or by an event without a listener, or rejected unheard. */
export type StrayFaultHandler = (error: unknown) => void;

/** Node keeps it through timers, sockets and promises, and still knows it when `uncaughtException` is emitted. */
const current = new AsyncLocalStorage<StrayFaultHandler | undefined>();

/** Runs a platform's code: what it, or anything that it starts, throws into the void is handed to `onStrayFault`. */
export function insidePlatform<T>(onStrayFault: StrayFaultHandler, work: () => T): T {
  return current.run(onStrayFault, work);
}

/** One of ours, handed to a platform. */
interface PlatformSignal {
  signal: AbortSignal;
  abort: () => void;
  /** To be called when the platform needs it no more. */
  release: () => void;
}

/**
 * Aborts with ours, inside the platform: what a listener throws is a fault of whoever aborts, and that would be us.
 */
export function platformSignal(ours: AbortSignal, onStrayFault: StrayFaultHandler): PlatformSignal {
  const own = new AbortController();
  const abort = (): void => insidePlatform(onStrayFault, () => own.abort(ours.reason));
  if (ours.aborted) abort();
  ours.addEventListener('abort', abort, { once: true });
  return { signal: own.signal, abort, release: () => ours.removeEventListener('abort', abort) };
}

/** Runs our own code that a platform's calls: its faults are ours again. */
export function outsidePlatform<T>(work: () => T): T {
  return current.run(undefined, work);
}

/**
 * For the process: hands each stray fault to the platform whose it is. One of our own goes to `end`: nobody knows what it
 * left half done.
 */
export function watchStrayFaults(end: (error: unknown) => void): void {
  const judge = (error: unknown): void => (current.getStore() ?? end)(error);
  process.on('uncaughtException', judge);
  process.on('unhandledRejection', judge);
}
