import { toPublicId } from '#contracts';
import type { DomainEvent } from '../core/events/domain-event';

/** A committed event, as far as a stream shows it. */
export type LiveEvent = Pick<DomainEvent, 'id' | 'environment' | 'type' | 'body' | 'createdAt'>;

/** The event on the wire (https://html.spec.whatwg.org/multipage/server-sent-events.html). Its JSON text has no line break. */
export function frameOf({ id, type, body }: Pick<LiveEvent, 'id' | 'type' | 'body'>): string {
  return `id: ${toPublicId('event', id)}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** The event at which a server ends a stream, and why. */
export function endFrame(code: string): string {
  return `event: end\ndata: ${JSON.stringify({ code })}\n\n`;
}
