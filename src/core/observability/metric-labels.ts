/** The limits by which the gateway refuses, as the label of `gateway_refusals_total`. */
export const REFUSAL_LIMITS = [
  'requests_per_minute',
  'requests_per_hour',
  'messages_per_minute',
  'replies_per_minute',
  'billable',
  'ai_budget',
  'address',
  'connections',
  'event_streams',
  'unread_answers',
  'replays',
  'uploads',
  'sign_in',
  'backups',
] as const;
export type RefusalLimit = (typeof REFUSAL_LIMITS)[number];

/** Outcomes of a message that a platform delivered. */
export const RECEIVE_OUTCOMES = ['stored', 'duplicate', 'failed'] as const;
export type ReceiveOutcome = (typeof RECEIVE_OUTCOMES)[number];

/** Outcomes of a message that was given to a platform. */
export const SEND_OUTCOMES = ['accepted', 'failed', 'postponed'] as const;
export type SendOutcome = (typeof SEND_OUTCOMES)[number];

/** Outcomes of a webhook attempt. */
export const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'failed'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];
