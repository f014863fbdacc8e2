import type { Environment, Platform } from '#contracts';
import type { InboundMessage, Receipt } from '#platforms';

/** Whoever stores what the platforms send. Every call resolves only after the durable write. */
export interface InboundHandler {
  /** @returns the message's UUID, or undefined for a duplicate */
  message(environment: Environment, platform: Platform, message: InboundMessage): Promise<string | undefined>;
  receipt(environment: Environment, platform: Platform, receipt: Receipt): Promise<void>;
  migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void>;
}

/** Until somebody registers, nothing may be acknowledged to a platform. */
export const NOTHING_REGISTERED: InboundHandler = {
  message: () => Promise.reject(new Error('nobody stores inbound messages')),
  receipt: () => Promise.reject(new Error('nobody stores receipts')),
  migrate: () => Promise.reject(new Error('nobody stores conversations')),
};
