import type { SendFailureCode } from '#contracts';

/**
 * Whether a failed send says something about us, or about the one it was for. A recipient who has blocked the account, or
 * a text that the platform rejects, is no fault of the connection: an alarm for it would be one for nothing.
 */
const HURTS_SENDING: Readonly<Record<SendFailureCode, boolean>> = {
  recipient_unreachable: false,
  blocked_by_recipient: false,
  window_closed: false,
  content_rejected: false,
  not_permitted: false,
  rate_limited: true,
  platform_unavailable: true,
  ambiguous: true,
};

export function hurtsSending(code: SendFailureCode): boolean {
  return HURTS_SENDING[code];
}
