import { AsyncLocalStorage } from 'node:async_hooks';

/** Told of a fault that no caller can catch: thrown in a timer or by an event without a listener, or rejected unheard. */
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
 * Aborts with ours, inside the platform: Node counts what a listener throws as a fault of the code that aborts.
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
 * For the process: tells each platform of its stray faults. One of our own goes to `end`: what it left half done is
 * unknown.
 */
export function watchStrayFaults(end: (error: unknown) => void): void {
  const route = (error: unknown): void => (current.getStore() ?? end)(error);
  process.on('uncaughtException', route);
  process.on('unhandledRejection', route);
}
