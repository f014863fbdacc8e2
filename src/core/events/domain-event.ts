import {
  fromPublicId,
  newUuid,
  toPublicId,
  type Environment,
  type EventData,
  type EventPayload,
  type EventType,
} from '#contracts';

/** The rows that an event is about, by UUID: the history of a message is read by them. */
export interface EventSubject {
  conversationId: string;
  /** AI calls for a reply: the newest message to be answered. */
  messageId?: string;
  /** AI calls for a reply: the position of the first message to be answered. */
  answersFrom?: number;
}

/** A fact, stored in the transaction that caused it, then delivered to listeners in this process and to receivers. */
export interface DomainEvent<T extends EventType = EventType> {
  /** UUID form of the public `evt_` id. */
  id: string;
  environment: Environment;
  type: T;
  createdAt: Date;
  data: EventData<T>;
  /** The exact JSON text that receivers get. */
  body: string;
  /** Trace context of the span that caused it; undefined without one. */
  traceparent?: string | undefined;
  /** Undefined: the event is about no conversation. */
  subject?: EventSubject | null | undefined;
}

/** @param subject default: the conversation and the message that the data names; null: none */
export function domainEvent<T extends EventType>(
  type: T,
  data: EventData<T>,
  now: number,
  traceparent?: string,
  subject: EventSubject | null | undefined = subjectOf(data),
): DomainEvent<T> {
  const id = newUuid(now);
  const createdAt = new Date(now);
  const payload: EventPayload<T> = {
    id: toPublicId('event', id),
    type,
    created_at: createdAt.toISOString(),
    data,
  };
  const { environment } = data as { environment: Environment };
  return { id, environment, type, createdAt, data, body: JSON.stringify(payload), traceparent, subject };
}

function subjectOf(data: object): EventSubject | undefined {
  const { conversation_id, message_id } = data as { conversation_id?: string | null; message_id?: string };
  const conversationId = conversation_id ? fromPublicId('conversation', conversation_id) : undefined;
  if (conversationId === undefined) return undefined;
  return { conversationId, messageId: message_id === undefined ? undefined : fromPublicId('message', message_id) };
}
