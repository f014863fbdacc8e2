import { createHash } from 'node:crypto';
import { UnreadableError } from '../../fault-words';
import type {
  InboundMessage,
  MarketingPreference,
  MessageChange,
  Participant,
  QuotedMessage,
  Reaction,
} from '../../platform.port';
import { attachmentsOf } from './attachments';
import { contentOf, isUnderstood, typeOf } from './inbound-content';
import { backgroundOf, dataOf } from './message-data';
import { type Contact, fieldsOf, type Fields, idText, type NotifiedMessage, text, timeOf } from './notification';
import { type Identity, type People, phoneOf } from './people';

/** Who wrote a message. Contacts of a batch belong to different messages: they are matched by id. */
export function identityOf(
  message: NotifiedMessage,
  contacts: readonly Contact[] = [],
): Identity & { contact?: Contact } {
  const number = phone(message.from);
  const userId = text(message.from_user_id) ?? text(message['user_id']);
  const contact =
    contacts.find(({ wa_id, user_id }) => (number && phone(wa_id) === number) || (userId && user_id === userId)) ??
    (contacts.length === 1 && !number && !userId ? contacts[0] : undefined);
  return { phone: number ?? phone(contact?.wa_id), userId: userId ?? text(contact?.user_id), contact };
}

/** Whether it is our own: what an operator wrote in the business app, mirrored. */
export function isOwn(message: NotifiedMessage, metadata: unknown): boolean {
  const own = ownNumber(metadata);
  return own !== '' && digits(message.from) === own;
}

/** WhatsApp writes a mention as `@` and the number; a reply names the author of the message that it answers. */
function mentionsBusiness(message: NotifiedMessage, content: string, metadata: unknown): boolean {
  const own = ownNumber(metadata);
  const isNamed = content.split('@').some((rest, index) => index > 0 && /^\d+/.exec(rest)?.[0] === own);
  return isNamed || (own !== '' && digits(fieldsOf(message['context'])['from']) === own);
}

function ownNumber(metadata: unknown): string {
  return digits(fieldsOf(metadata)['display_phone_number']);
}

/** @throws when it makes no sense */
export function readMessage(
  message: NotifiedMessage,
  contacts: readonly Contact[],
  people: People,
  metadata: unknown,
): InboundMessage {
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
  const { kind, content } = contentOf(message);
  const isAnswered = isUnderstood(message);
  const data = dataOf(message);
  const replyTo = quotedBy(message);
  return {
    platformMessageId: idText(message.id) ?? digestOf(message),
    participant: groupId === undefined ? sender : { id: groupId, name: null, username: null },
    // Sends to a group use other fields than sends to a person.
    ...(groupId !== undefined && { address: groupId, mentionsBot: mentionsBusiness(message, content, metadata) }),
    sender,
    kind,
    content: [content, ...(isAnswered ? backgroundOf(message) : [])].join('\n'),
    ...(attachments.length > 0 && { attachments }),
    ...(data && { data }),
    ...(replyTo && { replyTo }),
    ...replyOf(message),
    // Invalid where it cannot be read: the message then counts as written when it arrived.
    sentAt: timeOf(message.timestamp) ?? new Date(Number.NaN),
    expectsReply: isAnswered,
  };
}

/**
 * Reads what a colleague wrote in the business app: https://developers.facebook.com/docs/whatsapp/embedded-signup/custom-flows/onboarding-business-app-users
 * @throws when it makes no sense
 */
export function readEcho(message: NotifiedMessage, people: People): InboundMessage {
  const groupId = text(message.group_id);
  const participantId = groupId ?? people.idOf({ phone: phone(message['to']), userId: text(message['to_user_id']) });
  if (participantId === undefined) throw new UnreadableError('it has no recipient');
  const [data, replyTo] = [dataOf(message), quotedBy(message)];
  return {
    platformMessageId: idText(message.id) ?? digestOf(message),
    participant: { id: participantId, name: null, username: null },
    ...(groupId !== undefined && { address: groupId }),
    sender: { id: authorOfEcho(message), name: null, username: null },
    ...contentOf(message),
    ...(data && { data }),
    ...(replyTo && { replyTo }),
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
  if (!chosen && text(button?.['text']) === undefined) return undefined;
  const title = text(chosen?.['title']) ?? text(button?.['text']) ?? '';
  return { interactiveReply: { id, title, platformMessageId: idText(context?.['id']) } };
}

/** The message that a person quotes. A tap names its message by {@link replyOf}; a forwarded message quotes none. */
function quotedBy(message: NotifiedMessage): QuotedMessage | undefined {
  const { id, from } = fieldsOf(message['context']);
  const platformMessageId = idText(id);
  if (platformMessageId === undefined || replyOf(message)) return undefined;
  const author = phone(from);
  return { platformMessageId, ...(author && { sender: { id: author, name: null, username: null } }) };
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

/** The marketing preference that an item of `user_preferences` reports; undefined if it cannot be read. */
export function preferenceOf(given: Fields, people: People, at: Date | undefined): MarketingPreference | undefined {
  const { wa_id: number, user_id: userId, category, value, timestamp } = given;
  const participantId = people.idOf({ phone: phone(number), userId: text(userId) });
  const isKnown = category === 'marketing_messages' && (value === 'stop' || value === 'resume');
  if (participantId === undefined || !isKnown) return undefined;
  return { participantId, allowed: value === 'resume', at: timeOf(timestamp) ?? at ?? new Date() };
}

function phone(value: unknown): string | undefined {
  const id = idText(value);
  return id === undefined ? undefined : phoneOf(id);
}

function digits(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\D/g, '') : '';
}
