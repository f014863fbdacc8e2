import type { AccountKey, Attachment } from '#contracts';
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
  message(at: AccountKey, message: ReceivedMessage): Promise<string | undefined>;
  /** Stores a message that a colleague sent outside the gateway. */
  echo(at: AccountKey, message: ReceivedMessage): Promise<void>;
  receipt(at: AccountKey, receipt: Receipt): Promise<void>;
  change(at: AccountKey, change: MessageChange): Promise<void>;
  reaction(at: AccountKey, reaction: Reaction): Promise<void>;
  /** A person stopped or allowed marketing messages. */
  marketing(at: AccountKey, preference: MarketingPreference): Promise<void>;
  /** The platform gave a conversation another id. */
  migrate(at: AccountKey, from: string, to: string): Promise<void>;
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
