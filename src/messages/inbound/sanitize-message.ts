import { sanitizeText } from '#contracts';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';

type Person = ReceivedMessage['sender'];

function sanitizePerson({ id, name, username }: Person): Person {
  return {
    id: sanitizeText(id),
    // From outside: what the types call null may be missing.
    name: typeof name === 'string' ? sanitizeText(name) : null,
    username: typeof username === 'string' ? sanitizeText(username) : null,
  };
}

/**
 * What a platform sends is not ours to refuse: a message that could never be stored would be handed over again for ever,
 * and hold up everything behind it.
 * @param now when it arrived, for a platform that does not say when it was written
 */
export function sanitizeMessage(received: ReceivedMessage, now: Date): ReceivedMessage {
  return {
    ...received,
    platformMessageId: sanitizeText(received.platformMessageId),
    content: sanitizeText(received.content),
    participant: sanitizePerson(received.participant),
    sender: sanitizePerson(received.sender),
    sentAt: Number.isNaN(received.sentAt.getTime()) ? now : received.sentAt,
  };
}
