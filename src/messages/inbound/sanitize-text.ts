import { storableText } from '#contracts';
import type { ReceivedMessage } from '../../integrations/integrations.service';

type Person = ReceivedMessage['sender'];

function storablePerson({ id, name, username }: Person): Person {
  return {
    id: storableText(id),
    // From outside: what the types call null may be missing.
    name: typeof name === 'string' ? storableText(name) : null,
    username: typeof username === 'string' ? storableText(username) : null,
  };
}

/**
 * What a platform sends is not ours to refuse: a message that could never be stored would be handed over again for ever,
 * and hold up everything behind it.
 * @param now when it arrived, for a platform that does not say when it was written
 */
export function sanitizeText(received: ReceivedMessage, now: Date): ReceivedMessage {
  return {
    ...received,
    platformMessageId: storableText(received.platformMessageId),
    content: storableText(received.content),
    participant: storablePerson(received.participant),
    sender: storablePerson(received.sender),
    sentAt: Number.isNaN(received.sentAt.getTime()) ? now : received.sentAt,
  };
}
