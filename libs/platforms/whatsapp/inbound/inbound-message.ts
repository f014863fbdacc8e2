import type { InboundMessage, Participant, Receipt } from '../../platform.port';
import { contentOf } from './inbound-content';
import { type Change, type Contact, type NotifiedMessage, type NotifiedStatus, text, timeOf } from './notification';
import type { Identity, People } from './people';
import { laterRefusalOf } from '../outbound/send-outcomes';

/** Who wrote a message. Contacts of a batch belong to different messages: they are matched by id. */
export function identityOf(
  message: NotifiedMessage,
  contacts: readonly Contact[] = [],
): Identity & { contact?: Contact } {
  const phone = text(message.from);
  const userId = text(message.from_user_id) ?? text(message['user_id']);
  const contact =
    contacts.find(({ wa_id, user_id }) => (phone && wa_id === phone) || (userId && user_id === userId)) ??
    (contacts.length === 1 && !phone && !userId ? contacts[0] : undefined);
  return { phone: phone ?? text(contact?.wa_id), userId: userId ?? text(contact?.user_id), contact };
}

/** Whether it is our own: what an operator wrote in the business app, mirrored. */
export function isOwn(message: NotifiedMessage, { metadata }: Change): boolean {
  const own = digits(metadata?.display_phone_number);
  return own !== '' && digits(message.from) === own;
}

/** @throws when it makes no sense */
export function readMessage(message: NotifiedMessage, contacts: readonly Contact[], people: People): InboundMessage {
  const { contact, ...identity } = identityOf(message, contacts);
  const participantId = people.idOf(identity);
  const platformMessageId = text(message.id);
  if (participantId === undefined || platformMessageId === undefined) throw new Error('it has no id or no sender');
  const sender: Participant = {
    id: participantId,
    name: text(contact?.profile?.name) ?? null,
    username: text(contact?.profile?.username) ?? null,
  };
  return {
    platformMessageId,
    participant: sender,
    sender,
    ...contentOf(message),
    // Invalid where it is missing: the message then counts as written when it arrived.
    sentAt: message.timestamp === undefined ? new Date(Number.NaN) : timeOf(message.timestamp),
    // A thumb under a message asks for no answer.
    expectsReply: message.type !== 'reaction',
  };
}

/** The two numbers of a person who took a new one, if a system message tells that. */
export function numberChange({ type, from, system }: NotifiedMessage): { from: string; to: string } | undefined {
  if (type !== 'system' || typeof system !== 'object' || system === null) return undefined;
  const { wa_id, new_wa_id, type: kind } = system as Record<string, unknown>;
  const to = text(new_wa_id) ?? text(wa_id);
  const old = text(from);
  return /changed_number/.test(String(kind)) && old && to && old !== to ? { from: old, to } : undefined;
}

const STATUSES: Readonly<Record<string, Receipt['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // A voice message that was listened to.
  played: 'read',
  failed: 'failed',
};

/** Undefined for a status that says nothing of the delivery. @throws when it makes no sense */
export function readStatus({ id, status, timestamp, errors }: NotifiedStatus): Receipt | undefined {
  const known = Object.hasOwn(STATUSES, String(status)) ? STATUSES[String(status)] : undefined;
  if (known === undefined) return undefined;
  const platformMessageId = text(id);
  if (platformMessageId === undefined) throw new Error('it has no id');
  const receipt = { platformMessageId, status: known, at: timestamp === undefined ? new Date() : timeOf(timestamp) };
  if (known !== 'failed') return receipt;
  const { failure, concernsAccount } = laterRefusalOf(errors?.[0]);
  return { ...receipt, failure, ...(concernsAccount && { concernsAccount }) };
}

function digits(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\D/g, '') : '';
}
