import { toPublicId, type Attachment, type Environment, type EventData, type Platform } from '#contracts';
import { toInteractiveReply, type StoredChoice } from './choices.service';

/** A stored inbound message. Ids are UUIDs. */
interface Stored {
  id: string;
  conversationId: string;
  environment: Environment;
  platform: Platform;
  sender: EventData<'message.received'>['sender'];
  content: string;
  attachments: readonly Attachment[];
  sentAt: Date;
  choice?: StoredChoice;
}

export function receivedEvent(message: Stored): EventData<'message.received'> {
  const { id, conversationId, environment, platform, sender, content, attachments, sentAt, choice } = message;
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    environment,
    sender,
    content,
    attachments: [...attachments],
    timestamp: sentAt.toISOString(),
    ...(choice && { interactive_reply: toInteractiveReply(choice) }),
  };
}
