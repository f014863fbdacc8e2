import type { Confirmation, Environment, MessageData, ParseMode, Platform, SendFailure } from '#contracts';
import type { Interactive, InteractiveReply } from './interactive.port';
import type { PlatformTemplate, TemplateMessage } from './template.port';
import type { Download, DownloadOptions, InboundAttachment, OutboundFile } from './media.port';
import type { CallbackHead, CallbackRequest, CallbackResponse } from './callback.port';
import type { AccountNotice, MarketingPreference, RateLimitNotice } from './notices.port';

export type { CallbackHead, CallbackRequest, CallbackResponse, SharedCallback } from './callback.port';
export type { AccountNotice, MarketingPreference, RateLimitNotice } from './notices.port';

/** A person or a group at a platform. `id` is what `recipient` of a send takes. */
export interface Participant {
  id: string;
  name: string | null;
  username: string | null;
}

/** A message from a platform. */
export interface InboundMessage {
  /** Unique per platform for all time (Telegram: chat id and message id): duplicates are recognised by it. */
  platformMessageId: string;
  /** Whom the conversation is with: the chat, which in a group differs from the sender. */
  participant: Participant;
  sender: Participant;
  /** The text, or a readable placeholder for other content: `[photo] caption`. */
  content: string;
  kind: InboundKind;
  /** Its files, locations and contacts, in order. */
  attachments?: readonly InboundAttachment[];
  /**
   * Messages of one participant with the same id are the items of one album (Telegram sends each item as a message). They
   * arrive within about a second, in order, and at most one of them has a caption.
   */
  albumId?: string;
  /** Its `content` has a caption. An album shows the caption of the first item that has one. */
  hasCaption?: boolean;
  /** False: it does not open the platform's reply window, because no person wrote it. */
  opensWindow?: boolean;
  /** The person chose this option of an earlier message of ours; `content` is its title. */
  interactiveReply?: InteractiveReply;
  /** The structure behind `content` (an order, an ad that led here). */
  data?: MessageData;
  /** The message that it quotes. */
  replyTo?: QuotedMessage;
  /** When the platform says it was written. */
  sentAt: Date;
  /** The address that the adapter writes to, if it differs from the participant's id (Discord DM channel). */
  address?: string;
  /** False: it is stored, but the assistant does not answer it (a message of another bot). */
  expectsReply?: boolean;
  /**
   * In a group: whether it mentions the bot, answers a message of it, or is a tap on its button. Missing where a person writes
   * to the bot alone.
   */
  mentionsBot?: boolean;
  /** False: the assistant never sees it (a message of another bot). */
  inContext?: boolean;
  /** The assistant's answer names it as the message that it answers (in a guild channel, where many write). */
  answerAsReply?: boolean;
}

/** A message that another one quotes, as far as the platform describes it. */
export interface QuotedMessage {
  /** {@link InboundMessage.platformMessageId}, or the id of a part that we sent; missing if the platform does not tell. */
  platformMessageId?: string;
  /** Who wrote it; missing if the platform does not tell. */
  sender?: Participant;
  /** The quoted words: the part that the person marked, else the whole text; missing if the platform does not tell. */
  content?: string;
}

/** A change of an inbound message that may be stored: its author edited or deleted it. */
export interface MessageChange {
  /** {@link InboundMessage.platformMessageId} of the message. */
  platformMessageId: string;
  /**
   * Who changed it: a change by anybody but its sender has no effect. Missing if the platform does not tell, and lets only the
   * author or a moderator do so (Discord).
   */
  authorId?: string;
  /** Its text from now on; null: it is deleted. */
  content: string | null;
  /** When the platform says that it changed. */
  at: Date;
}

export const INBOUND_KINDS = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'other',
] as const;
export type InboundKind = (typeof INBOUND_KINDS)[number];

/** A person reacted to a message in either direction, or took the reaction back. */
export interface Reaction {
  /** {@link InboundMessage.platformMessageId}, or the id of a part that we sent. */
  platformMessageId: string;
  /** Whom the conversation is with. */
  participantId: string;
  authorId: string;
  /** One or several; null if they were removed. */
  emoji: string | null;
  at: Date;
}

/** The price of a part, as the platform reports it. */
export interface Pricing {
  billable: boolean;
  /** `marketing`, `utility`, `authentication`, `service`, or a word that is new there. */
  category: string;
  /** The pricing model, as the platform names it. */
  model: string | null;
}

/** The platform's report about an outbound message. */
export interface Receipt {
  platformMessageId: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  at: Date;
  failure?: SendFailure;
  pricing?: Pricing;
  /** {@link PartRefused.concernsAccount} */
  concernsAccount?: boolean;
}

/** Takes what the platform sends from an adapter. Every call resolves only after the durable write. */
export interface InboundSink {
  /** Stores the message once, however often it is called. Rejects when it could not be stored: do not acknowledge then. */
  message(message: InboundMessage): Promise<void>;
  /**
   * Stores, once, what a colleague wrote outside of the gateway: `participant` is whom it is to, `sender` is the business. Rejects as
   * `message` does.
   */
  echo(message: InboundMessage): Promise<void>;
  receipt(receipt: Receipt): Promise<void>;
  /** Applies an edit or deletion to a stored message. A message that is not stored is not created. */
  change(change: MessageChange): Promise<void>;
  /** Stores a reaction with its message, if that is stored. */
  reaction(reaction: Reaction): Promise<void>;
  /** The platform gave a conversation another id (Telegram: a group became a supergroup). */
  migrate(fromParticipantId: string, toParticipantId: string): Promise<void>;
  /** Stores, as an event, what the platform says about the account. Rejects when it could not be stored. */
  notice(notice: AccountNotice): Promise<void>;
  /** Stores whether a person takes marketing messages. Rejects when it could not be stored. */
  marketing(preference: MarketingPreference): Promise<void>;
  /**
   * An update that is no message, change, reaction, receipt or notice (a join, a pin, a poll's answer) was left out: it is
   * counted and logged at debug. `kind` labels a metric: the platform's word for it, never text of a person.
   */
  ignored(kind: string): void;
  /** The platform delivered a message for an account that the gateway does not have: it is lost. `account`: its id there. */
  unknownAccount(account: string): void;
  /** The templates of the account may have changed. */
  templatesChanged(): void;
  /**
   * The conversations in which people wrote last, newest first, at most `limit`: a platform that keeps no messages for a bot
   * that is not connected (Discord) is asked for newer messages from there on.
   */
  lastSeen(limit: number): Promise<LastSeen[]>;
}

/** The newest stored message of a conversation's participant. */
export interface LastSeen {
  participantId: string;
  participantName: string | null;
  /** {@link InboundMessage.address} */
  address: string | null;
  platformMessageId: string;
}

/** How a live connection tells the supervisor what it knows. Calls after `signal` aborted are ignored. */
export interface ConnectionObserver {
  /** The connection is proven to work, now. Repeat it with each proof (a completed poll, a heartbeat ack). */
  proven(details: ConnectionDetails): void;
  /** Something went wrong without losing the connection; shown as the last error. */
  warning(error: ConnectionFault): void;
  /** Reports how many messages wait at the platform. Not called if the platform does not say. */
  backlog(waiting: number): void;
}

/** Shown in `details` of an integration, e.g. `{bot_username, bot_id}`. */
export type ConnectionDetails = Readonly<Record<string, string>>;

export interface ConnectionFault {
  code: string;
  /** A sentence an operator can act on. */
  message: string;
  /** The affected direction, if it is not the connection's own (see {@link PlatformCapabilities.receivesBy}). */
  direction?: HealthDirection;
}

/** Receiving and sending fail independently: a bot that can still send may receive nothing. */
export const HEALTH_DIRECTIONS = ['receiving', 'sending'] as const;
export type HealthDirection = (typeof HEALTH_DIRECTIONS)[number];

/** Thrown by `run`. Fatal faults (bad token, forbidden intent) wait for `reconnect`; all others are retried with backoff. */
export class ConnectionError extends Error {
  constructor(
    readonly fault: ConnectionFault,
    readonly fatal: boolean,
    /** The platform asked to wait at least this long, in milliseconds, from a second to a day. */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(fault.message, options);
    this.name = ConnectionError.name;
  }
}

export interface SendOptions {
  parseMode: ParseMode;
  disableNotification: boolean;
  linkPreview: boolean;
  /** The platform's id of the message replied to. */
  replyTo?: string;
  /** Sent instead of the text; the text is what the recipient will see. */
  template?: TemplateMessage;
}

export interface OutboundPart {
  /** Position in the message, from 0. */
  index: number;
  /** The part's source text, before it is rendered in the platform's markup. The caption of a part with files; may be empty then. */
  text: string;
  /** One file, or the items of an album. */
  files?: readonly OutboundFile[];
  /** Shown below the text. */
  interactive?: Interactive;
}

/** Content of an outbound message. */
export interface OutboundContent {
  recipient: string;
  address?: string;
  /** Empty only with files. */
  text: string;
  files?: readonly OutboundFile[];
  interactive?: Interactive;
  options: SendOptions;
}

export type SendPlan =
  | {
      parts: OutboundPart[];
      /** The options of `interactive` are numbered lines in the text: the person answers with a number. */
      isNumbered?: boolean;
    }
  /** Why the platform cannot take it, as a sentence for the client without a full stop. Nothing is sent. */
  | { refusal: string };

export interface SendRequest {
  /** Our message id (public form): a platform that deduplicates is given it. */
  messageId: string;
  environment: Environment;
  recipient: string;
  address?: string;
  options: SendOptions;
  /**
   * Call it when the connection is made, just before the first byte. If it returns false, write nothing: another process may
   * have taken the message over. An adapter whose platform recognises repeated sends need not call it.
   */
  mayWrite?: () => boolean;
}

export interface PartAccepted {
  accepted: true;
  platformMessageId: string;
  /**
   * Whom the part went to, by the id that the platform answered with: the conversation belongs to it from now on, and the
   * recipient is another id of it. Missing if the platform does not tell.
   */
  participantId?: string;
  /** {@link InboundMessage.address} of that participant. */
  address?: string;
  /** The platform could not read the markup: the text went once more, without it. */
  asPlainText?: true;
  /** Instead of the adapter's `confirmAfterMs`, for this part (sandbox). */
  confirmAfterMs?: number;
}
export interface PartRefused {
  accepted: false;
  failure: SendFailure;
  /** The platform asks to wait this long before anything is sent again, in milliseconds, from a second to a day; nothing was sent. */
  retryAfterMs?: number;
  /** The adapter itself paces its sends; it did not call the platform. */
  isOwnPause?: true;
  /** It is about our account (locked, unpaid, without a permission), not about the recipient. */
  concernsAccount?: boolean;
}
export type PartOutcome = PartAccepted | PartRefused;

export interface PlatformCapabilities {
  /** Longest text of one part, in UTF-16 code units. */
  maxTextLength: number;
  /** The platform recognises a repeated send of the same part by our id, so that an interrupted send may be repeated. */
  deduplicatesSends: boolean;
  /** `platform`: acceptance counts as delivery; `device`: receipts follow. */
  confirmation: Confirmation;
  /** How long after acceptance the delivery is confirmed without any receipt, in milliseconds (sandbox); 0: at once. */
  confirmAfterMs: number;
  /** A connection without a fresh proof for this long counts as lost, in milliseconds; Infinity: it is never lost. */
  livenessMs: number;
  /**
   * `connection`: messages come over it, so that its proofs and faults are those of receiving. `callback`: the platform
   * calls us, and a connection only shows that the platform can be called: its faults are those of sending, and
   * receiving is proven by what was called in and stored.
   */
  receivesBy: 'connection' | 'callback';
  /** `showTyping` does nothing without the message that is being answered (WhatsApp marks it as read with the same call). */
  typingNeedsMessage?: boolean;
}

/**
 * One platform. The gateway knows only this; telegram/, discord/, whatsapp/ and sandbox/ implement it and must pass
 * the conformance suite.
 */
export interface PlatformAdapter {
  readonly platform: Platform;
  readonly capabilities: PlatformCapabilities;

  /** Undefined when credentials are present, otherwise why the platform cannot be connected ("not configured"). */
  readonly unconfigured: string | undefined;

  /** Why a send to this recipient is answered as if the platform were not connected (sandbox). Called before anything is stored. */
  disconnectedFor?(recipient: string): string | undefined;

  /** Why this cannot be a recipient of the platform, if its form shows that. Called before anything is stored. */
  recipientFault?(recipient: string): string | undefined;

  /**
   * The participant's id of a recipient that a client named, if the platform accepts several forms of an id (WhatsApp:
   * `+49 170 …` is `49170…`), so that both directions share a conversation.
   */
  participantId?(recipient: string): string;

  /**
   * Connects and stays connected until `signal` aborts (then resolves) or the connection is lost (then rejects with a
   * ConnectionError). Never reconnects by itself: the supervisor calls again.
   */
  run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void>;

  /** Cuts a text into parts that the platform takes, in order. One part for most texts. */
  split(text: string, options: SendOptions): OutboundPart[];

  /**
   * Plans the parts of a message with files or options, in order, in the best form that the platform has for each: an
   * album, a document where a photo would be too large, a text of its own where a caption would be too long. The same
   * content gives the same parts, so that a send can go on after a restart. It opens no file. It asks the platform only if
   * a limit depends on the recipient (a boosted Discord server), and then assumes the lower limit if the platform does not
   * answer.
   */
  plan?(content: OutboundContent): SendPlan | Promise<SendPlan>;

  /**
   * Downloads a file of an inbound message: {@link InboundAttachment.ref}, on any instance, at any time. Never rejects.
   * Aborting `signal` also destroys a stream that it resolved with.
   */
  download?(ref: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download>;

  /**
   * Sends one part. Resolves with the platform's answer; never rejects for anything the platform or the network did:
   * `ambiguous` when the request was written and no answer came, `platform_unavailable` when it surely was not.
   */
  sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome>;

  /** Shows that an answer is being written. Best effort, never rejects. Repeat it every `typingIntervalMs`. */
  showTyping(recipient: string, address: string | undefined, lastInboundPlatformMessageId?: string): Promise<void>;
  readonly typingIntervalMs: number;

  /**
   * All message templates of the account; undefined where none are configured. Rejects with a ConnectionError when the
   * platform refuses or does not answer.
   */
  templates?(signal: AbortSignal): Promise<readonly PlatformTemplate[] | undefined>;

  /** From now on calls `listener` with every rate limit that any call meets. Called once, before `run`. */
  observeRateLimits?(listener: (notice: RateLimitNotice) => void): void;

  /** Refuses a request at /callbacks/<platform> by what comes before its body, which is then not read. */
  refuseCallback?(head: CallbackHead): CallbackResponse | undefined;

  /** Handles an HTTP request at /callbacks/<platform>, for platforms that call us. */
  callback?(request: CallbackRequest, sink: InboundSink): Promise<CallbackResponse>;
}
