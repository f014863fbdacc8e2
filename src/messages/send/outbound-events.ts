import { toPublicId, type EventData, type SendFailure } from '#contracts';
import type { OutboundMessage } from './outbound-message';

/** The message that an event is about. */
type EventMessage = Pick<
  OutboundMessage,
  'id' | 'conversationId' | 'platform' | 'environment' | 'recipient' | 'recipientName' | 'attachments'
>;

function common(message: EventMessage) {
  const { id, conversationId, platform, environment, recipient, recipientName, attachments } = message;
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversationId),
    platform,
    environment,
    recipient: { id: recipient, name: recipientName },
    attachments: [...attachments],
  };
}

/**
 * @param platformLatencyMs duration of the platform's call; the event of an AI answer has the model's latency instead
 */
export function sentEvent(message: OutboundMessage, platformLatencyMs: number): EventData<'message.sent'> {
  const { content, ai } = message;
  return {
    ...common(message),
    content,
    ai_model: ai?.model ?? null,
    tokens: ai?.tokens ?? null,
    latency_ms: ai?.latencyMs ?? platformLatencyMs,
  };
}

export function deliveredEvent(
  message: EventMessage,
  at: Date,
  confirmation: 'platform' | 'device',
): EventData<'message.delivered'> {
  return { ...common(message), delivered_at: at.toISOString(), confirmation };
}

export function failedEvent(message: EventMessage, error: SendFailure, at: Date): EventData<'message.failed'> {
  return { ...common(message), error: { ...error }, failed_at: at.toISOString() };
}

export function readEvent(message: EventMessage, at: Date): EventData<'message.read'> {
  const { attachments: _, ...told } = common(message);
  return { ...told, read_at: at.toISOString() };
}
