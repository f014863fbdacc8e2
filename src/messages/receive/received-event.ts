import {
  toPublicId,
  type Attachment,
  type Environment,
  type EventData,
  type MessageData,
  type Platform,
  type ShownAccount,
} from '#contracts';
import type { StoredQuotation } from '../quotations/quotations.service';
import { toInteractiveReply, type StoredChoice } from './choices.service';

/** A stored inbound message. Ids are UUIDs. */
interface Stored {
  id: string;
  conversationId: string;
  environment: Environment;
  platform: Platform;
  account: ShownAccount;
  sender: EventData<'message.received'>['sender'];
  content: string;
  attachments: readonly Attachment[];
  sentAt: Date;
  choice?: StoredChoice | undefined;
  data?: MessageData | undefined;
  quotation?: Omit<StoredQuotation, 'isOurs'> | undefined;
}

export function receivedEvent(message: Stored): EventData<'message.received'> {
  const {
    id,
    conversationId,
    environment,
    platform,
    account,
    sender,
    content,
    attachments,
    sentAt,
    choice,
    data,
    quotation,
  } = message;
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    account,
    environment,
    sender,
    content,
    attachments: [...attachments],
    data: data ?? null,
    reply_to: quotation ? toReplyTo(quotation) : null,
    timestamp: sentAt.toISOString(),
    ...(choice && { interactive_reply: toInteractiveReply(choice) }),
  };
}

function toReplyTo({ messageId, quoted }: NonNullable<Stored['quotation']>): EventData<'message.received'>['reply_to'] {
  return { message_id: messageId === null ? null : toPublicId('message', messageId), ...quoted };
}
