import type { Attachment, Environment, Platform } from '#contracts';
import type { InboundMessage, MarketingPreference, MessageChange, Reaction, Receipt } from '#platforms';

export type {
  InteractiveReply,
  MarketingPreference,
  MessageChange,
  Pricing,
  QuotedMessage,
  Reaction,
  Receipt,
} from '#platforms';

export interface ReceivedMessage extends InboundMessage {
  /** Uploaded files that the sandbox attaches as if the participant had sent them. */
  uploads?: readonly Attachment[];
}

/** Stores what the platforms send. Every call resolves only after the durable write. */
export interface InboundHandler {
  /** @returns the message's UUID, or undefined for a duplicate */
  message(environment: Environment, platform: Platform, message: ReceivedMessage): Promise<string | undefined>;
  /** Stores a message that a colleague sent outside the gateway. */
  echo(environment: Environment, platform: Platform, message: ReceivedMessage): Promise<void>;
  receipt(environment: Environment, platform: Platform, receipt: Receipt): Promise<void>;
  change(environment: Environment, platform: Platform, change: MessageChange): Promise<void>;
  reaction(environment: Environment, platform: Platform, reaction: Reaction): Promise<void>;
  /** A person stopped or allowed marketing messages. */
  marketing(environment: Environment, platform: Platform, preference: MarketingPreference): Promise<void>;
  /** The platform gave a conversation another id. */
  migrate(environment: Environment, platform: Platform, from: string, to: string): Promise<void>;
}

/** Rejects every call, so that adapters acknowledge nothing to a platform before a handler is registered. */
export const NO_HANDLER: InboundHandler = {
  message: () => Promise.reject(new Error('no handler stores inbound messages')),
  echo: () => Promise.reject(new Error('no handler stores messages of colleagues')),
  receipt: () => Promise.reject(new Error('no handler stores receipts')),
  change: () => Promise.reject(new Error('no handler stores changes')),
  reaction: () => Promise.reject(new Error('no handler stores reactions')),
  marketing: () => Promise.reject(new Error('no handler stores marketing preferences')),
  migrate: () => Promise.reject(new Error('no handler stores conversations')),
};
