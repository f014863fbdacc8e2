import { LRUCache } from 'lru-cache';

/**
 * A person is known by phone number, or, having taken a user name, by a business-scoped user id alone
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids).
 */
export interface Identity {
  phone?: string;
  /** Like `US.13491208655302741918`. */
  userId?: string;
}

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Whether a recipient is a business-scoped user id: sent to in another field than a phone number. */
export function isUserId(recipient: string): boolean {
  return USER_ID.test(recipient);
}

/** `capi_group:` in base64, with which Meta's ids of groups begin. */
const GROUP_ID = /^Y2FwaV9ncm91cDo[A-Za-z0-9+/=_-]+$/;

/** The group that a message goes to. @param address of the conversation: that of a person has none */
export function groupOf({ recipient, address }: { recipient: string; address?: string }): string | undefined {
  return address ?? (GROUP_ID.test(recipient) ? recipient : undefined);
}

/** A phone number in the form in which WhatsApp names people, digits alone. Anything else stays as it is. */
export function phoneOf(recipient: string): string {
  return /^\+?[\s().-]*\d[\d\s().-]*$/.test(recipient) ? recipient.replace(/\D/g, '') : recipient;
}

/**
 * Which phone number belongs to which user id, from the messages since the start, so that a pair is not stored again with every
 * message. The directory of conversations keeps the pairs for good.
 */
export class People {
  readonly #phones = new LRUCache<string, string>({ max: 50_000 });

  /** Participant id of the conversation: the phone number if it is known. */
  idOf({ phone, userId }: Identity): string | undefined {
    return phone ?? (userId && (this.#phones.get(userId) ?? userId));
  }

  /** Both ids, if they were not yet known to belong to one person. */
  newPair({ phone, userId }: Identity): { phone: string; userId: string } | undefined {
    if (!phone || !userId || this.#phones.get(userId) === phone) return undefined;
    return { phone, userId };
  }

  /** To be called once the conversation is kept under the phone number. */
  remember(phone: string, userId: string): void {
    this.#phones.set(userId, phone);
  }
}
