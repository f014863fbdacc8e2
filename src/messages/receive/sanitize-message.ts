import { cutText, sanitizeText } from '#contracts';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';

type Person = ReceivedMessage['sender'];

export function sanitizePerson({ id, name, username }: Person): Person {
  return {
    id: sanitizeText(id),
    // External input: a field typed as null may be missing.
    name: typeof name === 'string' ? sanitizeText(name) : null,
    username: typeof username === 'string' ? sanitizeText(username) : null,
  };
}

/** A platform's text may be longer than a message can be: its end is cut. */
export function sanitizeContent(content: string): string {
  return cutText(sanitizeText(content));
}

/**
 * Removes what cannot be stored. The gateway cannot refuse a platform's message: the platform would deliver it again for ever,
 * and hold back all messages behind it.
 * @param now arrival time, for a message without the time when it was written
 */
export function sanitizeMessage(received: ReceivedMessage, now: Date): ReceivedMessage {
  return {
    ...received,
    platformMessageId: sanitizeText(received.platformMessageId),
    content: sanitizeContent(received.content),
    participant: sanitizePerson(received.participant),
    sender: sanitizePerson(received.sender),
    sentAt: Number.isNaN(received.sentAt.getTime()) ? now : received.sentAt,
  };
}
