import { fieldsOf, idText, type NotifiedMessage, text } from './notification';
import { type Identity, isUserId, type People, phoneOf } from './people';

/** A person got other ids. */
export interface IdentityChange {
  /** Ids under which the conversation may be. */
  from: string[];
  to: string;
  /** The new ids, if both are known. */
  pair?: Required<Identity>;
}

/**
 * The change that a system message reports: `user_changed_number` names the new number, `user_changed_user_id` the new user id, and the
 * former one in its text if nowhere else.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system
 */
export function systemChange(message: NotifiedMessage, people: People): IdentityChange | undefined {
  const system = fieldsOf(message['system']);
  if (!/changed_(?:number|user_id)$/.test(text(system['type']) ?? '')) return undefined;
  const next = { phone: phone(system['new_wa_id']) ?? phone(system['wa_id']), userId: text(system['user_id']) };
  const userId =
    text(system['previous_user_id']) ?? text(message.from_user_id) ?? formerIn(system['body'], next.userId);
  return identityChange({ phone: phone(message.from), userId }, next, people);
}

/** The change that an item of `user_id_update` reports: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids */
export function userIdUpdate(update: Readonly<Record<string, unknown>>, people: People): IdentityChange | undefined {
  const { previous, current } = fieldsOf(update['user_id']);
  return identityChange({ userId: text(previous) }, { phone: phone(update['wa_id']), userId: text(current) }, people);
}

function identityChange(
  former: Identity,
  { phone: number, userId }: Identity,
  people: People,
): IdentityChange | undefined {
  const to = number ?? userId;
  const known = new Set([people.idOf(former), former.userId, userId]);
  const from = [...known].filter((id): id is string => id !== undefined && id !== to);
  if (to === undefined || from.length === 0) return undefined;
  return { from, to, ...(number && userId && { pair: { phone: number, userId } }) };
}

/** `User <name> changed from <id> to <id>`: a name may contain the same words, so the end of the text counts. */
function formerIn(body: unknown, next: string | undefined): string | undefined {
  const words = (text(body) ?? '').split(' ').slice(-4);
  const [verb, former, to, id] = words;
  return verb === 'from' && to === 'to' && id === next && former && isUserId(former) ? former : undefined;
}

function phone(value: unknown): string | undefined {
  const id = idText(value);
  return id === undefined ? undefined : phoneOf(id);
}
