import { toPublicId, type Platform } from '#contracts';
import type { SendResultDto } from '../dto/message.dto';

/** The result of a send that is scheduled. @param message its UUID, the platform, and the recipient as the client named it */
export function scheduledResult(
  message: { id: string; platform: Platform; recipient: string },
  sendAt: Date,
): SendResultDto {
  const { id, platform, recipient } = message;
  return {
    message_id: toPublicId('message', id),
    platform,
    recipient,
    status: 'scheduled',
    sent_at: null,
    send_at: sendAt.toISOString(),
  };
}

/** How late a scheduled message may be sent, in milliseconds. */
const LATEST_MS = 3_600_000;

/** Whether it is too late to send a scheduled message. */
export function isExpired(sendAt: Date, now: number): boolean {
  return now - sendAt.getTime() >= LATEST_MS;
}
