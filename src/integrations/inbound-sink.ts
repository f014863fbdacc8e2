import type { Platform } from '#contracts';
import type { InboundSink } from '#platforms';
import type { Integrations } from './integrations.service';

/** What a live adapter hands its messages to. */
export function inboundSink(integrations: Integrations, platform: Platform): InboundSink {
  return {
    message: (message) => integrations.receive('live', platform, message),
    receipt: (receipt) => integrations.inbound.receipt('live', platform, receipt),
    migrate: (from, to) => integrations.migrate('live', platform, from, to),
    lastSeen: (limit) => integrations.lastSeen('live', platform, limit),
  };
}
