import type { ErrorObject } from '../graph-error';

/**
 * A notification of WhatsApp: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components. A later version may leave
 * out any field or change its type, so each field is checked before it is used.
 */
export interface Change {
  metadata?: { display_phone_number?: unknown; phone_number_id?: unknown };
  contacts?: Contact[];
  messages?: NotifiedMessage[];
  statuses?: NotifiedStatus[];
  /** Messages that colleagues wrote in the business app (coexistence). */
  message_echoes?: NotifiedMessage[];
}

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

export interface NotifiedStatus {
  id?: unknown;
  status?: unknown;
  timestamp?: unknown;
  errors?: ErrorObject[];
  pricing?: unknown;
}

/**
 * The changes of a notification that are about messages of this phone number: an app has one callback for all its numbers,
 * and for many kinds of notification. Empty for anything else, and for what is not a notification at all.
 */
export function changesOf(rawBody: Buffer, phoneNumberId: string): Change[] {
  return list(parse(rawBody)?.['entry'])
    .flatMap((entry) => list(entry['changes']))
    .filter(({ field }) => field === undefined || field === 'messages' || field === 'smb_message_echoes')
    .map(({ value }) => value as Change | undefined)
    .filter((value): value is Change => typeof value === 'object' && value !== null)
    .filter(({ metadata }) => (metadata?.phone_number_id ?? phoneNumberId) === phoneNumberId)
    .map((value) => ({
      metadata: value.metadata,
      contacts: list(value.contacts),
      messages: list(value.messages),
      statuses: list(value.statuses),
      message_echoes: list(value.message_echoes),
    }));
}

const TEMPLATE_FIELDS: ReadonlySet<unknown> = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
]);

/** Whether a notification reports a change of the account's templates. */
export function tellsOfTemplates(rawBody: Buffer): boolean {
  if (!rawBody.includes('template')) return false;
  const changes = list(parse(rawBody)?.['entry']).flatMap((entry) => list(entry['changes']));
  return changes.some(({ field }) => TEMPLATE_FIELDS.has(field));
}

/** The objects in a list; none if it is not a list. */
export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Also reads a number as a text: ids are digits, and JSON may contain them either way. */
export function idText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(value);
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
