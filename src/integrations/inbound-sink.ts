import type { Platform } from '#contracts';
import type { InboundSink } from '#platforms';
import type { Integrations } from './integrations.service';

/** What a live adapter hands its messages to. */
export function inboundSink(integrations: Integrations, platform: Platform): InboundSink {
  return {
    message: (message) => integrations.receive('live', platform, message),
    // Platforms with receipts of their own bring their handling with them; Telegram has none.
    receipt: () => Promise.resolve(),
    migrate: (from, to) => integrations.migrate('live', platform, from, to),
  };
}
