import type { InboundKind } from '../../platform.port';
import { list, type NotifiedMessage, text } from './notification';

export interface Content {
  kind: InboundKind;
  content: string;
}

type Part = Readonly<Record<string, unknown>>;

interface Kind {
  kind: InboundKind;
  label: string | ((part: Part) => string);
  /** What is worth saying about it. */
  about?: (part: Part) => unknown[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  image: { kind: 'image', label: 'photo' },
  video: { kind: 'video', label: 'video' },
  audio: { kind: 'audio', label: ({ voice }) => (voice === true ? 'voice message' : 'audio') },
  document: { kind: 'document', label: 'document', about: ({ filename }) => [filename] },
  sticker: { kind: 'sticker', label: ({ animated }) => (animated === true ? 'animated sticker' : 'sticker') },
  location: {
    kind: 'location',
    label: 'location',
    about: ({ name, address, latitude, longitude }) => [name, address, `${String(latitude)}, ${String(longitude)}`],
  },
  reaction: { kind: 'other', label: 'reaction', about: ({ emoji }) => [emoji ?? 'removed'] },
  order: {
    kind: 'other',
    label: 'order',
    about: (order) => [`${list(order['product_items']).length} items`, order['text']],
  },
};

/** The text of a message, or a readable placeholder for what is not text: `[photo] caption`. */
export function contentOf(message: NotifiedMessage): Content {
  const type = text(message.type) ?? 'unsupported';
  const part = partOf(message, type);
  const said = spoken(type, part);
  if (said !== undefined) return { kind: 'text', content: said };
  if (type === 'contacts') return contacts(message);
  const known = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!known) return { kind: 'other', content: `[${type === 'unknown' ? 'unsupported' : type} message]` };
  const label = typeof known.label === 'string' ? known.label : known.label(part);
  return { kind: known.kind, content: placeholder(label, known.about?.(part) ?? [], part['caption']) };
}

/** What was written, or chosen from what we offered: a button's or a list row's title is what the person said. */
function spoken(type: string, part: Part): string | undefined {
  if (type === 'text') return text(part['body']);
  if (type === 'button') return text(part['text']);
  if (type !== 'interactive') return undefined;
  const chosen = (part['button_reply'] ?? part['list_reply']) as Part | undefined;
  return text(chosen?.['title']);
}

function contacts(message: NotifiedMessage): Content {
  const about = list(message['contacts']).flatMap(({ name, phones }) => [
    (name as Part | undefined)?.['formatted_name'],
    ...list(phones).map(({ phone }) => phone),
  ]);
  return { kind: 'contact', content: placeholder('contact', about, undefined) };
}

function placeholder(label: string, about: readonly unknown[], caption: unknown): string {
  const words = [...about, caption].filter((word) => typeof word === 'string' && word !== '');
  return [`[${label}]`, ...words].join(' ');
}

function partOf(message: NotifiedMessage, type: string): Part {
  const part = message[type];
  return typeof part === 'object' && part !== null ? (part as Part) : {};
}
