import type { ConnectionDetails, ConnectionFault, ConnectionObserver, InboundSink } from '#platforms';
import { outsidePlatform } from './platform-context';

/** Whatever it is called with, it answers by a promise: an adapter's own faults are told apart from ours. */
export function safeInboundSink(sink: InboundSink): InboundSink {
  return {
    message: (message) => outsidePlatform(async () => sink.message(message)),
    receipt: (receipt) => outsidePlatform(async () => sink.receipt(receipt)),
    migrate: (from, to) =>
      outsidePlatform(async () => {
        if (typeof from !== 'string' || typeof to !== 'string') throw new TypeError('a migration names two ids');
        return sink.migrate(from, to);
      }),
    lastSeen: (limit) => outsidePlatform(async () => sink.lastSeen(limit)),
  };
}

/**
 * Never throws into the adapter, and hears nothing once its connection has ended: an adapter that goes on after that must
 * not look connected.
 * @param broken told of calls that make no sense
 */
export function safeObserver(
  observer: ConnectionObserver,
  ended: AbortSignal,
  broken: (error: unknown) => void,
): ConnectionObserver {
  const heard = (tell: () => void): void => {
    if (ended.aborted) return;
    try {
      outsidePlatform(tell);
    } catch (error) {
      broken(error);
    }
  };
  return {
    proven: (details) => heard(() => observer.proven(words(details))),
    warning: (fault) => heard(() => observer.warning(checked(fault))),
    backlog: (waiting) => heard(() => Number.isSafeInteger(waiting) && waiting >= 0 && observer.backlog(waiting)),
  };
}

/** They are stored and shown, so they must be what the type says; what the platform did not tell is left out. */
function words(details: ConnectionDetails): ConnectionDetails {
  const told = Object.entries((details ?? {}) as Record<string, unknown>).filter(([, value]) => value != null);
  return Object.fromEntries(told.map(([name, value]) => [name, String(value)]));
}

function checked(fault: ConnectionFault): ConnectionFault {
  if (typeof fault?.code !== 'string' || typeof fault.message !== 'string')
    throw new TypeError('a fault without words');
  return fault;
}
