import { fileName } from '../../media/attachment';
import type { InboundKind } from '../../platform.port';
import { linesOf } from './form-reply';
import { orderWords } from './message-data';
import { fieldsOf, list, type NotifiedMessage, text } from './notification';

export interface Content {
  kind: InboundKind;
  content: string;
}

type Part = Readonly<Record<string, unknown>>;

interface Kind {
  kind: InboundKind;
  label: string | ((part: Part) => string);
  /** Short description of it. */
  about?: (part: Part) => unknown[];
}

/** Types of what a person said, written or chosen. */
const SPOKEN = ['button', 'interactive'];
/** The longest kind of a message in its words, in UTF-16 code units. */
const LONGEST_KIND = 50;
/** The longest answers of a form that are parsed, in UTF-16 code units: to parse a megabyte of fields takes 120 ms. */
const LONGEST_ANSWERS = 131_072;

const KINDS: Readonly<Record<string, Kind>> = {
  image: { kind: 'image', label: 'photo' },
  video: { kind: 'video', label: 'video' },
  audio: { kind: 'audio', label: ({ voice }) => (voice === true ? 'voice message' : 'audio') },
  document: { kind: 'document', label: 'document', about: ({ filename }) => [fileName(filename)] },
  sticker: { kind: 'sticker', label: ({ animated }) => (animated === true ? 'animated sticker' : 'sticker') },
  location: {
    kind: 'location',
    label: 'location',
    about: ({ name, address, latitude, longitude, url }) => [name, address, position(latitude, longitude), url],
  },
  order: { kind: 'other', label: 'order', about: (order) => [orderWords(order)] },
};

/** The text of a message, or a readable placeholder for other content: `[photo] caption`. */
export function contentOf(message: NotifiedMessage): Content {
  const type = typeOf(message);
  const part = partOf(message, type);
  const said = spoken(type, part);
  if (said !== undefined) return { kind: 'text', content: said };
  if (type === 'contacts') return contacts(message);
  const known = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!known) return { kind: 'other', content: unsupported(type, part) };
  const label = typeof known.label === 'string' ? known.label : known.label(part);
  return { kind: known.kind, content: placeholder(label, known.about?.(part) ?? [], part['caption']) };
}

/**
 * The type of a message. Some messages come without it, and are known by the field that holds their content: Meta's own
 * examples of locations and contacts.
 */
export function typeOf(message: NotifiedMessage): string {
  return (
    text(message.type) ??
    ['text', ...SPOKEN, 'contacts', 'reaction', ...Object.keys(KINDS)].find((type) => message[type]) ??
    'unknown'
  );
}

/** Whether the message says something that can be answered. */
export function isUnderstood(message: NotifiedMessage): boolean {
  const type = typeOf(message);
  const part = partOf(message, type);
  // The person called: the permission to call back is no message.
  if (fieldsOf(part['call_permission_reply'])['response_source'] === 'automatic') return false;
  const isSaid = spoken(type, part) !== undefined;
  return isSaid || type === 'contacts' || Object.hasOwn(KINDS, type);
}

/** The text that was written, or the title of the button or list row that was chosen. */
function spoken(type: string, part: Part): string | undefined {
  if (type === 'text') return text(part['body']);
  if (type === 'button') return text(part['text']);
  if (type !== 'interactive') return undefined;
  const chosen = (part['button_reply'] ?? part['list_reply']) as Part | undefined;
  // Without a title the stored offer has it.
  if (chosen) return text(chosen['title']) ?? '';
  return part['nfm_reply'] ? form(part['nfm_reply'] as Part) : reply(part);
}

/** A reply of another kind: `[call permission]`, and each field in a line. */
function reply({ type, ...replies }: Part): string | undefined {
  const kind = text(type) ?? Object.keys(replies)[0];
  if (kind === undefined || replies[kind] === undefined) return undefined;
  const label = kind
    .replace(/_?reply$/, '')
    .replaceAll('_', ' ')
    .slice(0, LONGEST_KIND);
  return [`[${label || kind}]`, ...linesOf(replies[kind])].join('\n');
}

/** `[unsupported message: poll_creation]`: a kind that is new, or that WhatsApp does not pass on. */
function unsupported(type: string, part: Part): string {
  const kind = type === 'unsupported' ? text(part['type']) : type === 'unknown' ? undefined : type;
  return kind === undefined ? '[unsupported message]' : `[unsupported message: ${kind.slice(0, LONGEST_KIND)}]`;
}

/** The answers of a form (a flow, an address): `[form] Sent`, and each field in a line. */
function form({ body, response_json: response }: Part): string {
  const head = placeholder('form', [], body);
  if (typeof response !== 'string') return [head, ...linesOf(response)].join('\n');
  if (response.length > LONGEST_ANSWERS) return `${head}\n${response}`;
  try {
    return [head, ...linesOf(JSON.parse(response))].join('\n');
  } catch {
    return `${head}\n${response}`;
  }
}

function contacts(message: NotifiedMessage): Content {
  const about = list(message['contacts']).map(contact).filter(Boolean).join('; ');
  return { kind: 'contact', content: placeholder('contact', [about], undefined) };
}

function contact({ name, org, phones, emails, urls }: Part): string {
  const { formatted_name: whole, first_name: first, last_name: last } = (name ?? {}) as Part;
  const words = [
    ...(text(whole) ? [whole] : [first, last]),
    (org as Part | undefined)?.['company'],
    ...list(phones).map(({ phone, wa_id: id }) => phone ?? id),
    ...list(emails).map(({ email }) => email),
    ...list(urls).map(({ url }) => url),
  ];
  return words.filter(text).join(' ');
}

function position(latitude: unknown, longitude: unknown): string | undefined {
  const [north, east] = [latitude, longitude].map((degrees) => Number.parseFloat(String(degrees)));
  return Number.isNaN(north) || Number.isNaN(east) ? undefined : `${north}, ${east}`;
}

function placeholder(label: string, about: readonly unknown[], caption: unknown): string {
  const words = [...about, caption].filter((word) => typeof word === 'string' && word !== '');
  return [`[${label}]`, ...words].join(' ');
}

function partOf(message: NotifiedMessage, type: string): Part {
  const part = message[type];
  return typeof part === 'object' && part !== null ? (part as Part) : {};
}
