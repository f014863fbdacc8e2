import type { Environment, EventType } from '#contracts';
import { domainEvent, type DomainEvent } from '../../core/events/domain-event';

/** The synthetic event that `POST /webhooks/{id}/test` sends. */
export function testEvent(environment: Environment, now: number): DomainEvent {
  const data = { environment, status: 'healthy', previous_status: null, components: {}, test: true } as const;
  return domainEvent('system.health', data, now);
}

const MARK = '"test":true';

/** Recognised by the stored text: no other event of the type has this field. */
export function isTestEvent({ event_type, body }: { event_type: EventType; body: string }): boolean {
  return event_type === 'system.health' && body.includes(MARK);
}

/** The same condition in SQL. @param event alias of the `events` row */
export function isTestEventSql(event: string): string {
  return `(${event}.type = 'system.health' AND ${event}.body LIKE '%${MARK}%')`;
}
