import { toPublicId, type EventData, type SendFailure, type ShownAccount } from '#contracts';
import type { OutboundMessage } from './outbound-message';

/** The message that an event is about. */
type EventMessage = Pick<
  OutboundMessage,
  'id' | 'conversationId' | 'platform' | 'environment' | 'recipient' | 'recipientName' | 'attachments'
>;

function common(message: EventMessage, account: ShownAccount) {
  const { id, conversationId, platform, environment, recipient, recipientName, attachments } = message;
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    account,
    environment,
    recipient: { id: recipient, name: recipientName },
    attachments: [...attachments],
  };
}

/**
 * @param platformLatencyMs duration of the platform's call; the event of an AI answer has the model's latency instead
 */
export function sentEvent(
  message: OutboundMessage,
  account: ShownAccount,
  platformLatencyMs: number,
): EventData<'message.sent'> {
  const { content, ai } = message;
  return {
    ...common(message, account),
    content,
    ai_model: ai?.model ?? null,
    tokens: ai?.tokens ?? null,
    latency_ms: ai?.latencyMs ?? platformLatencyMs,
  };
}

export function deliveredEvent(
  message: EventMessage,
  account: ShownAccount,
  at: Date,
  confirmation: 'platform' | 'device',
): EventData<'message.delivered'> {
  return { ...common(message, account), delivered_at: at.toISOString(), confirmation };
}

export function failedEvent(
  message: EventMessage,
  account: ShownAccount,
  error: SendFailure,
  at: Date,
): EventData<'message.failed'> {
  return { ...common(message, account), error: { ...error }, failed_at: at.toISOString() };
}

export function readEvent(message: EventMessage, account: ShownAccount, at: Date): EventData<'message.read'> {
  const { attachments: _, ...told } = common(message, account);
  return { ...told, read_at: at.toISOString() };
}
