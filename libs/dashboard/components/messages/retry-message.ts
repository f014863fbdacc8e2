import type { Message, MessageSendParams, MessagingGateway, SendResult } from '#client';

type Failed = Pick<Message, 'id' | 'platform' | 'content' | 'attachments' | 'interactive'>;

/**
 * Sends the content of a failed message as a new message. The assistant keeps the conversation. Its Idempotency-Key contains the failed message's id, so a second
 * click within a day sends nothing more.
 */
export function resend(gateway: MessagingGateway, failed: Failed, recipient: string): Promise<SendResult> {
  return gateway.messages.send(contentOf(failed, recipient), { idempotencyKey: `retry-${failed.id}` });
}

/** Like `resend`, but reads the message and its recipient first. */
export async function retryMessage(gateway: MessagingGateway, id: string): Promise<SendResult> {
  const message = await gateway.messages.get(id);
  const { participant } = await gateway.conversations.get(message.conversation_id);
  // The gateway refuses to send to the participant of an erased conversation.
  return resend(gateway, message, participant.id ?? '');
}

function contentOf({ platform, content, attachments, interactive }: Failed, recipient: string): MessageSendParams {
  return {
    platform,
    recipient,
    message: content || undefined,
    attachments: attachments.length > 0 ? attachments.map(({ id }) => ({ id })) : undefined,
    interactive: interactive ?? undefined,
  };
}
