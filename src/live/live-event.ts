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

/** How the account of an event begins in its JSON text: within a text, the quotation marks would be escaped. */
const ACCOUNT = '"account":{"id":"';

/** Whether an event is about one of the accounts, or about none. */
export function isOfAccounts({ body }: Pick<LiveEvent, 'body'>, accounts: readonly string[]): boolean {
  const at = body.indexOf(ACCOUNT);
  return at < 0 || accounts.some((id) => body.startsWith(`${id}"`, at + ACCOUNT.length));
}
