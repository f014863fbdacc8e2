export const DIRECTIONS = ['inbound', 'outbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const CONVERSATION_STATUSES = ['active', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

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

/** What confirms a delivery: the platform's acceptance, or a receipt of the recipient's device. */
export const CONFIRMATIONS = ['platform', 'device'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

export const PARSE_MODES = ['plain', 'markdown', 'html'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];

/** What an attachment is. A `voice` message is recorded, `audio` is a file. Locations and contacts have no bytes. */
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
