import type { Attachment } from '#client';
import type { ShownMessage } from '../../../live/messages/shown-message';

export const KINDS: Readonly<Record<Attachment['kind'], string>> = {
  image: 'Image',
  audio: 'Sound',
  voice: 'Voice message',
  video: 'Video',
  document: 'Document',
  sticker: 'Sticker',
  location: 'Location',
  contact: 'Contact',
};

/** A sentence: why a file is not available. */
export function absenceOf({ status, reason }: Pick<Attachment, 'status' | 'reason'>): string {
  if (status === 'pending') return 'The gateway is fetching it …';
  if (status === 'too_large')
    return reason === 'platform' ? 'Too large for the platform to provide.' : 'Larger than the gateway accepts.';
  if (status === 'expired')
    return reason === 'retention' ? 'Deleted: its retention period is over.' : 'The platform no longer provides it.';
  return reason === 'quota'
    ? 'Not stored: the storage for files, or the share of this person, is full.'
    : 'It could not be fetched.';
}

/** Image types that cannot contain scripts. All others can only be downloaded. */
const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export function formOf({
  kind,
  mime_type,
}: Pick<Attachment, 'kind' | 'mime_type'>): 'image' | 'sound' | 'video' | 'file' {
  const type = mime_type ?? '';
  if (kind !== 'document' && IMAGES.has(type)) return 'image';
  if (/^audio\/[\w.+-]+$/.test(type)) return 'sound';
  return /^video\/[\w.+-]+$/.test(type) ? 'video' : 'file';
}

/** The text below the files, without the label that the gateway puts before it: the files show the same. */
export function captionOf({ content, attachments }: Pick<ShownMessage, 'content' | 'attachments'>): string {
  const [first] = attachments;
  if (!first) return content;
  const text = content.replace(/^\[[a-z ]+\]\s*/, '');
  return first.filename && text.startsWith(first.filename) ? text.slice(first.filename.length).trimStart() : text;
}

/** Coordinates as the adapters write them: at the end of the text, or before the place's URL. An address may hold such numbers, too. */
const COORDINATES = /(?<latitude>-?\d{1,2}(?:\.\d+)?), (?<longitude>-?\d{1,3}(?:\.\d+)?)(?=\s*$|\s+https?:\/\/\S*\s*$)/;

/** The map URL of a place in a text such as `Café, Unter den Linden 5, 10117 Berlin 52.52, 13.405`; undefined without coordinates. */
export function mapAddress(text: string): string | undefined {
  const { latitude, longitude } = COORDINATES.exec(text)?.groups ?? {};
  if (latitude === undefined || longitude === undefined) return undefined;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
}
