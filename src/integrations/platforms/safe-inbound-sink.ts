import type { ConnectionObserver, InboundSink } from '#platforms';
import { outsidePlatform } from './platform-context';

/** A sink for adapters: stray faults in it count as ours, not the platform's. */
export function safeInboundSink(sink: InboundSink): InboundSink {
  return {
    message: (message) => outsidePlatform(() => sink.message(message)),
    echo: (message) => outsidePlatform(() => sink.echo(message)),
    receipt: (receipt) => outsidePlatform(() => sink.receipt(receipt)),
    change: (change) => outsidePlatform(() => sink.change(change)),
    reaction: (reaction) => outsidePlatform(() => sink.reaction(reaction)),
    migrate: (from, to) => outsidePlatform(() => sink.migrate(from, to)),
    notice: (notice) => outsidePlatform(() => sink.notice(notice)),
    marketing: (preference) => outsidePlatform(() => sink.marketing(preference)),
    ignored: (kind) => outsidePlatform(() => sink.ignored(kind)),
    unknownAccount: (account) => outsidePlatform(() => sink.unknownAccount(account)),
    templatesChanged: () => outsidePlatform(() => sink.templatesChanged()),
    lastSeen: (limit) => outsidePlatform(() => sink.lastSeen(limit)),
  };
}

/** Ignores calls after the connection has ended: an adapter that goes on must not look connected. */
export function safeObserver(observer: ConnectionObserver, ended: AbortSignal): ConnectionObserver {
  const heard = (tell: () => void): void => (ended.aborted ? undefined : outsidePlatform(tell));
  return {
    proven: (details) => heard(() => observer.proven(details)),
    warning: (fault) => heard(() => observer.warning(fault)),
    backlog: (waiting) => heard(() => observer.backlog(waiting)),
  };
}
