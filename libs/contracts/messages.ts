export const DIRECTIONS = ['inbound', 'outbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const CONVERSATION_STATUSES = ['active', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const MESSAGE_STATUSES = ['received', 'pending', 'sent', 'delivered', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Where a message may go from each status. A late receipt never moves it backwards (WhatsApp may skip `sent`). */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  received: [],
  pending: ['sent', 'delivered', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
};

/** Where one platform message of a (split) message stands; `received` is an inbound one. */
export const PART_STATUSES = ['received', 'sent', 'delivered', 'read', 'failed'] as const;
export type PartStatus = (typeof PART_STATUSES)[number];

/** Where receipts may take a part, in any order and any number of times. */
export const PART_TRANSITIONS: Readonly<Record<PartStatus, readonly PartStatus[]>> = {
  received: [],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
};

/** Who says that a message was delivered: the platform by accepting it, or the recipient's device by a receipt. */
export const CONFIRMATIONS = ['platform', 'device'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

export const PARSE_MODES = ['plain', 'markdown', 'html'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];
