import { toPublicId } from '#contracts';
import type { DomainEvent } from '../core/events/domain-event';

/** A committed event, with the fields that a stream needs. */
export type LiveEvent = Pick<DomainEvent, 'id' | 'environment' | 'type' | 'body' | 'createdAt'>;

/**
 * The event on the wire (https://html.spec.whatwg.org/multipage/server-sent-events.html). Its JSON text contains no line
 * break.
 */
export function frameOf({ id, type, body }: Pick<LiveEvent, 'id' | 'type' | 'body'>): string {
  return `id: ${toPublicId('event', id)}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** The event with which the gateway ends a stream. @param code the reason */
export function endFrame(code: string): string {
  return `event: end\ndata: ${JSON.stringify({ code })}\n\n`;
}
