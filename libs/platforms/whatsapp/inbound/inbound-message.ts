import { createHash } from 'node:crypto';
import { UnreadableError } from '../../fault-words';
import type { InboundMessage, MessageChange, Participant, Pricing, Reaction, Receipt } from '../../platform.port';
import { attachmentsOf } from './attachments';
import { contentOf, isUnderstood, typeOf } from './inbound-content';
import {
  type Change,
  type Contact,
  idText,
  type NotifiedMessage,
  type NotifiedStatus,
  text,
  timeOf,
} from './notification';
import type { Identity, People } from './people';
import { laterRefusalOf } from '../outbound/send-outcomes';

/** Who wrote a message. Contacts of a batch belong to different messages: they are matched by id. */
export function identityOf(
  message: NotifiedMessage,
  contacts: readonly Contact[] = [],
): Identity & { contact?: Contact } {
  const phone = idText(message.from);
  const userId = text(message.from_user_id) ?? text(message['user_id']);
  const contact =
    contacts.find(({ wa_id, user_id }) => (phone && wa_id === phone) || (userId && user_id === userId)) ??
    (contacts.length === 1 && !phone && !userId ? contacts[0] : undefined);
  return { phone: phone ?? idText(contact?.wa_id), userId: userId ?? text(contact?.user_id), contact };
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
  if (participantId === undefined) throw new UnreadableError('it has no sender');
  const sender: Participant = {
    id: participantId,
    name: text(contact?.profile?.name) ?? null,
    username: text(contact?.profile?.username) ?? null,
  };
  const groupId = text(message.group_id);
  const attachments = attachmentsOf(message);
  return {
    platformMessageId: idText(message.id) ?? digestOf(message),
    participant: groupId === undefined ? sender : { id: groupId, name: null, username: null },
    // Sends to a group use other fields than sends to a person.
    ...(groupId !== undefined && { address: groupId }),
    sender,
    ...contentOf(message),
    ...(attachments.length > 0 && { attachments }),
    ...replyOf(message),
    // Invalid where it cannot be read: the message then counts as written when it arrived.
    sentAt: timeOf(message.timestamp) ?? new Date(Number.NaN),
    ...(typeOf(message) === 'system' && { opensWindow: false }),
    expectsReply: isUnderstood(message),
  };
}

/**
 * Reads what a colleague wrote in the business app: https://developers.facebook.com/docs/whatsapp/embedded-signup/custom-flows/onboarding-business-app-users
 * @throws when it makes no sense
 */
export function readEcho(message: NotifiedMessage, people: People): InboundMessage {
  const groupId = text(message.group_id);
  const participantId = groupId ?? people.idOf({ phone: idText(message['to']), userId: text(message['to_user_id']) });
  if (participantId === undefined) throw new UnreadableError('it has no recipient');
  return {
    platformMessageId: idText(message.id) ?? digestOf(message),
    participant: { id: participantId, name: null, username: null },
    ...(groupId !== undefined && { address: groupId }),
    sender: { id: authorOfEcho(message), name: null, username: null },
    ...contentOf(message),
    sentAt: timeOf(message.timestamp) ?? new Date(Number.NaN),
  };
}

/** The business's number: all its colleagues write as one. */
export function authorOfEcho({ from }: NotifiedMessage): string {
  return digits(idText(from)) || 'business';
}

/** The option that a person chose from a message of ours: a button, a row of a list, or the button of a template. */
function replyOf(message: NotifiedMessage): Pick<InboundMessage, 'interactiveReply'> | undefined {
  const { interactive, button, context } = message as Record<string, Record<string, unknown> | undefined>;
  const chosen = (interactive?.['button_reply'] ?? interactive?.['list_reply']) as Record<string, unknown> | undefined;
  const id = idText(chosen?.['id']) ?? idText(button?.['payload']);
  const title = text(chosen?.['title']) ?? text(button?.['text']);
  if (title === undefined) return undefined;
  return { interactiveReply: { id, title, platformMessageId: idText(context?.['id']) } };
}

/** Id for a message without one: the same when the message comes again. */
function digestOf(message: NotifiedMessage): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(message)).digest('hex')}`;
}

/** Whether it is about an earlier message. */
export function isChange(message: NotifiedMessage): boolean {
  return ['revoke', 'edit'].includes(typeOf(message));
}

/** Reads the edit or deletion of an earlier message; undefined if it cannot be read. */
export function changeOf(message: NotifiedMessage, authorId: string): MessageChange | undefined {
  const type = typeOf(message);
  const { original_message_id: original, message: edited } = (message[type] ?? {}) as Record<string, unknown>;
  const platformMessageId = idText(original);
  if (platformMessageId === undefined) return undefined;
  const at = timeOf(message.timestamp) ?? new Date(Number.NaN);
  const change = { platformMessageId, authorId, at };
  if (type === 'revoke') return { ...change, content: null };
  const isReadable = typeof edited === 'object' && edited !== null;
  return isReadable ? { ...change, content: contentOf(edited as NotifiedMessage).content } : undefined;
}

export function isReaction(message: NotifiedMessage): boolean {
  return typeOf(message) === 'reaction';
}

/** Undefined if it does not say to which message. An empty emoji takes the reaction back. */
export function reactionOf(
  message: NotifiedMessage,
  who: Pick<Reaction, 'participantId' | 'authorId'>,
): Reaction | undefined {
  const { message_id: about, emoji } = (message['reaction'] ?? {}) as Record<string, unknown>;
  const platformMessageId = idText(about);
  if (platformMessageId === undefined) return undefined;
  const at = timeOf(message.timestamp) ?? new Date(Number.NaN);
  return { platformMessageId, ...who, emoji: text(emoji) ?? null, at };
}

/** The old and the new number of a person, if this system message reports a change. */
export function numberChange({ type, from, system }: NotifiedMessage): { from: string; to: string } | undefined {
  if (type !== 'system' || typeof system !== 'object' || system === null) return undefined;
  const { wa_id, new_wa_id, type: kind } = system as Record<string, unknown>;
  const to = idText(new_wa_id) ?? idText(wa_id);
  const old = idText(from);
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

/** Undefined for a status that is not about the delivery. @throws when it makes no sense */
export function readStatus({ id, status, timestamp, errors, pricing: given }: NotifiedStatus): Receipt | undefined {
  const known = Object.hasOwn(STATUSES, String(status)) ? STATUSES[String(status)] : undefined;
  if (known === undefined) return undefined;
  const platformMessageId = idText(id);
  if (platformMessageId === undefined) throw new UnreadableError('it has no id');
  const pricing = pricingOf(given);
  const at = timeOf(timestamp) ?? new Date();
  const receipt = { platformMessageId, status: known, at, ...(pricing && { pricing }) };
  if (known !== 'failed') return receipt;
  const { failure, concernsAccount } = laterRefusalOf(errors?.[0]);
  return { ...receipt, failure, ...(concernsAccount && { concernsAccount }) };
}

/** The longest category and model of a price that are kept, in UTF-16 code units. */
const LONGEST_WORD = 50;

/** Categories that were free before prices had a type: conversations that the person began, or that an ad led to. */
const FREE: ReadonlySet<unknown> = new Set(['service', 'referral_conversion']);

/**
 * "The billable property will be deprecated": without it, the type tells, and before there were types, the category.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing
 */
function pricingOf(given: unknown): Pricing | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { billable: told, type, category, pricing_model: model } = given as Readonly<Record<string, unknown>>;
  const word = text(category)?.slice(0, LONGEST_WORD);
  const billable = told ?? (type === undefined ? !FREE.has(category) : type === 'regular');
  if (typeof billable !== 'boolean' || word === undefined) return undefined;
  return { billable, category: word, model: text(model)?.slice(0, LONGEST_WORD) ?? null };
}

function digits(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\D/g, '') : '';
}
