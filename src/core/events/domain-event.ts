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
}

export function domainEvent<T extends EventType>(type: T, data: EventData<T>, now: number): DomainEvent<T> {
  const id = newUuid(now);
  const createdAt = new Date(now);
  const payload: EventPayload<T> = {
    id: toPublicId('event', id),
    type,
    created_at: createdAt.toISOString(),
    data,
  };
  const { environment } = data as { environment: Environment };
  return { id, environment, type, createdAt, data, body: JSON.stringify(payload) };
}

/** Rebuilds the event from its stored row. */
export function restoreEvent(row: {
  id: string;
  environment: Environment;
  type: EventType;
  body: string;
  created_at: Date;
}): DomainEvent {
  const { data } = JSON.parse(row.body) as EventPayload;
  return { id: row.id, environment: row.environment, type: row.type, createdAt: row.created_at, data, body: row.body };
}
