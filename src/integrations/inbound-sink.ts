import type { Environment, Platform } from '#contracts';
import type { InboundMessage, InboundSink, LastSeen, Receipt } from '#platforms';

/** What a sink needs of the service: an import of its type would be a cycle. */
interface Inbound {
  receive(environment: Environment, platform: Platform, message: InboundMessage): Promise<void>;
  confirm(environment: Environment, platform: Platform, receipt: Receipt): Promise<void>;
  migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void>;
  lastSeen(environment: Environment, platform: Platform, limit: number): Promise<LastSeen[]>;
}

/** What a live adapter hands its messages to. */
export function inboundSink(integrations: Inbound, platform: Platform): InboundSink {
  return {
    message: (message) => integrations.receive('live', platform, message),
    receipt: (receipt) => integrations.confirm('live', platform, receipt),
    migrate: (from, to) => integrations.migrate('live', platform, from, to),
    lastSeen: (limit) => integrations.lastSeen('live', platform, limit),
  };
}
