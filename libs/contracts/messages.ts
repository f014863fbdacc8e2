import { listOf, nullable, object, schema, words, type TypeOf } from './schema';

export const DIRECTIONS = ['inbound', 'outbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const CONVERSATION_STATUSES = ['active', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** `assistant`: the assistant answers. `requested`: the conversation waits for a person. `human`: a person has it. */
export const HANDLINGS = ['assistant', 'requested', 'human'] as const;
export type Handling = (typeof HANDLINGS)[number];

/** Why the gateway requests a person. */
export const HANDOVER_REASONS = ['assistant', 'phrase', 'failures', 'refusal', 'loop', 'budget'] as const;
export type HandoverReason = (typeof HANDOVER_REASONS)[number];

/** Who wrote an outbound message: the assistant, a client of the API, or a colleague on the business's phone. */
export const MESSAGE_SENDERS = ['assistant', 'api', 'phone'] as const;
export type MessageSender = (typeof MESSAGE_SENDERS)[number];

export const MESSAGE_STATUSES = [
  'received',
  'scheduled',
  'cancelled',
  'pending',
  'sent',
  'delivered',
  'failed',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The statuses that may follow each status. A late receipt never moves it backwards (WhatsApp may skip `sent`). */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  received: [],
  scheduled: ['pending', 'cancelled'],
  cancelled: [],
  pending: ['sent', 'delivered', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
};

/** The status of one part of a message; `received` is an inbound one. */
export const PART_STATUSES = ['received', 'sent', 'delivered', 'read', 'failed'] as const;
export type PartStatus = (typeof PART_STATUSES)[number];

/** The statuses that a receipt may give a part; receipts come in any order and any number of times. */
export const PART_TRANSITIONS: Readonly<Record<PartStatus, readonly PartStatus[]>> = {
  received: [],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
};

/** How an author changes a message that was sent. */
export const MESSAGE_CHANGES = ['edited', 'deleted'] as const;

/** Proof of a delivery: the platform's acceptance, or a receipt of the recipient's device. */
export const CONFIRMATIONS = ['platform', 'device'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

export const PARSE_MODES = ['plain', 'markdown', 'html'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];

/** Kinds of attachments. A `voice` message is recorded, `audio` is a file. Locations and contacts have no bytes. */
export const ATTACHMENT_KINDS = [
  'image',
  'audio',
  'voice',
  'video',
  'document',
  'sticker',
  'location',
  'contact',
] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];
/** The kinds that have bytes. */
export type FileKind = Exclude<AttachmentKind, 'location' | 'contact'>;

/**
 * `pending`: the gateway still fetches it. `expired`: the platform no longer hands it out, or the gateway no longer keeps
 * it. Only a `stored` one has content.
 */
export const ATTACHMENT_STATUSES = ['pending', 'stored', 'failed', 'too_large', 'expired'] as const;
export type AttachmentStatus = (typeof ATTACHMENT_STATUSES)[number];

/** The most attachments of one send. */
export const MAX_ATTACHMENTS = 10;

const integer = schema<number>({ type: 'integer', minimum: 0 });
const string = schema<string>({ type: 'string' });

/** A file, a place or a contact of a message, as the API and the events show it. */
export const ATTACHMENT = object({
  id: string,
  kind: words(ATTACHMENT_KINDS),
  mime_type: nullable(string),
  size_bytes: nullable(integer),
  sha256: nullable(string),
  filename: nullable(string),
  width: nullable(integer),
  height: nullable(integer),
  duration_seconds: nullable(schema<number>({ type: 'number', minimum: 0 })),
  status: words(ATTACHMENT_STATUSES),
  reason: nullable(string),
  transcript: nullable(string),
});
export type Attachment = TypeOf<typeof ATTACHMENT>;

const nullableString = nullable(string);
const nullableNumber = nullable(schema<number>({ type: 'number' }));

/**
 * The structure behind the words of a message, as the API and the events show it: at most 16 KiB as JSON. A message has the
 * fields of its kind.
 */
export const MESSAGE_DATA = object(
  {},
  {
    /** Products that a person ordered; `total` is null if the currencies differ or a price is missing. */
    order: object({
      catalog_id: nullableString,
      items: listOf(
        object({
          product_id: string,
          quantity: nullableNumber,
          price: nullableNumber,
          currency: nullableString,
        }),
      ),
      total: nullableNumber,
    }),
    /** The ad or post that led the person to write. */
    referral: object({
      source_url: nullableString,
      source_type: nullableString,
      source_id: nullableString,
      headline: nullableString,
      body: nullableString,
      click_id: nullableString,
    }),
    /** The product that the message asks about. */
    product: object({ catalog_id: nullableString, product_id: nullableString }),
    /** A payment as the platform describes it; amounts in the smallest unit of the currency. */
    payment: schema<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    /** The data that a web app inside the chat sent. */
    web_app: schema<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  },
);
export type MessageData = TypeOf<typeof MESSAGE_DATA>;

/** How serious a platform's notice about an account is. `warning` and `critical` become problems. */
export const NOTICE_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type NoticeSeverity = (typeof NOTICE_SEVERITIES)[number];

/** How a call of a tool ended. `refused`: its arguments do not fit the schema, so it was not sent. */
export const TOOL_CALL_STATUSES = ['success', 'failed', 'refused', 'timed_out'] as const;
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number];
