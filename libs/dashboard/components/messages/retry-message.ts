import type { MessagingGateway, SendResult } from '#client';

/**
 * Sends the content of a failed message as a new one. The key is made from the failed one's id: a second click within a day sends
 * nothing more.
 */
export async function retryMessage(gateway: MessagingGateway, id: string): Promise<SendResult> {
  const { conversation_id, platform, content, attachments, interactive } = await gateway.messages.get(id);
  const { participant } = await gateway.conversations.get(conversation_id);
  return gateway.messages.send(
    {
      platform,
      recipient: participant.id,
      ...(content !== '' && { message: content }),
      ...(attachments.length > 0 && { attachments: attachments.map((attachment) => ({ id: attachment.id })) }),
      ...(interactive && { interactive }),
    },
    { idempotencyKey: `retry-${id}` },
  );
}
