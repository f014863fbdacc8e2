import type { Platform } from '#contracts';

/** How long after a person's last message WhatsApp takes free text: https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages#customer-service-windows */
const WINDOW_MS = 24 * 3_600_000;

export interface ReplyWindow {
  open: boolean;
  expiresAt: Date | null;
}

/**
 * When free text may be sent to a participant; null for a platform without such a window. Unknown without a stored
 * message from the participant.
 */
export function replyWindow(platform: Platform, lastInboundAt: Date | null, now: number): ReplyWindow | null {
  if (platform !== 'whatsapp') return null;
  if (!lastInboundAt) return { open: false, expiresAt: null };
  const expiresAt = new Date(lastInboundAt.getTime() + WINDOW_MS);
  return { open: expiresAt.getTime() > now, expiresAt };
}
