import { newUuid, toPublicId, type Environment, type EventData, type EventPayload, type EventType } from '#contracts';

/** A fact, stored in the transaction that caused it, then handed to listeners in this process and to receivers. */
export interface DomainEvent<T extends EventType = EventType> {
  /** UUID form of the public `evt_` id. */
  id: string;
  environment: Environment;
  type: T;
  createdAt: Date;
  data: EventData<T>;
  /** The exact JSON text that receivers get. */
  body: string;
  /** Of the span that caused it; undefined where no span did. */
  traceparent?: string | undefined;
}

export function domainEvent<T extends EventType>(
  type: T,
  data: EventData<T>,
  now: number,
  traceparent?: string,
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
  return { id, environment, type, createdAt, data, body: JSON.stringify(payload), traceparent };
}
