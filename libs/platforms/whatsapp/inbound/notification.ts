/**
 * A notification of WhatsApp: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview. A later
 * version may leave out any field or change its type, so each field is checked before it is used.
 */
export interface Change {
  /** The kind of the change (`messages`). */
  field: string;
  value: Fields;
  /** The business account that it is about, where the notification names it. */
  accountId?: string;
  /** When WhatsApp sent it. */
  at?: Date;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface Contact {
  profile?: { name?: unknown; username?: unknown };
  wa_id?: unknown;
  user_id?: unknown;
}

export interface NotifiedMessage {
  id?: unknown;
  from?: unknown;
  from_user_id?: unknown;
  timestamp?: unknown;
  type?: unknown;
  /** The group that it was written in. */
  group_id?: unknown;
  /** Content of the message, under the name of its type. */
  [content: string]: unknown;
}

/** Every change of a notification; none if it is not a notification. */
export function changesOf(rawBody: Buffer): Change[] {
  return list(parse(rawBody)?.['entry']).flatMap((entry) =>
    list(entry['changes'])
      .filter(({ value }) => typeof value === 'object' && value !== null)
      .map(({ field, value }) => ({
        field: text(field) ?? 'messages',
        value: value as Fields,
        accountId: idText(entry['id']),
        at: timeOf(entry['time']),
      })),
  );
}

/** The phone number id that a change is about; undefined if it is about the business account. */
export function numberOf({ value }: Change): string | undefined {
  return (
    idText(fieldsOf(value['metadata'])['phone_number_id']) ?? idText(fieldsOf(value['recipient'])['phone_number_id'])
  );
}

/** The objects in a list; none if it is not a list. */
export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** The fields of an object; none if it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Also reads a number as a text: ids are digits, and JSON may contain them either way. */
export function idText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(value);
}

/** A word of the platform that is safe as a label of a metric. */
export function wordOf(value: unknown): string {
  return /^[\w.-]{1,50}$/.exec(idText(value) ?? '')?.[0] ?? 'unknown';
}

/** In Unix seconds: a later moment, such as one in milliseconds, has no usual form. */
const YEAR_10000 = 253_402_300_800;

/** Unix seconds, as a string; undefined where that cannot be read. */
export function timeOf(timestamp: unknown): Date | undefined {
  const seconds = Number(idText(timestamp) ?? Number.NaN);
  return seconds > 0 && seconds < YEAR_10000 ? new Date(seconds * 1_000) : undefined;
}

function parse(rawBody: Buffer): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(rawBody.toString('utf8')) ?? undefined) as Record<string, unknown> | undefined;
  } catch {
    return undefined;
  }
}
