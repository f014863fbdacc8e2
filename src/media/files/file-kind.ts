import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';
import { withoutMisleading, type AttachmentKind } from '#contracts';
import { imageSizeOf, type ImageSize } from './image-size';

export const UNKNOWN_TYPE = 'application/octet-stream';
/** File systems refuse longer names. */
const MAX_FILENAME_LENGTH = 255;
/** A name that is cut keeps its extension, because people and programs recognise the file by it. */
const ENDING = /\.\w{1,10}$/;

/** The kind of a file, by its first bytes. */
export interface DetectedKind {
  kind: AttachmentKind;
  mimeType: string;
  size?: ImageSize;
}

/** Text that a browser would run or render. */
const RENDERED: readonly [form: RegExp, mimeType: string][] = [
  [/<svg[\s>]/i, 'image/svg+xml'],
  [/<(?:!doctype html|html|head|body|script|iframe|meta|link|style)[\s>/]/i, 'text/html'],
];
/** How many characters of a text are searched for markup: as many as browsers search (WHATWG, MIME sniffing). */
const MARKUP_LENGTH = 1_445;

/**
 * Decides what a file is by its first bytes: its name and the type that others claim do not count.
 * @param hint what the platform calls it: only that a sound is a voice message, a picture a sticker, or a file a document
 */
export async function kindOfFile(head: Buffer, hint?: AttachmentKind): Promise<DetectedKind> {
  const mimeType = await typeOf(head);
  const kind = kindOfType(mimeType);
  const size = kind === 'image' ? imageSizeOf(head) : undefined;
  return { kind: hinted(kind, hint), mimeType, size };
}

/** The kind of a file for which a platform or client gives a hint; see `kindOfFile`. */
export function hinted(kind: AttachmentKind, hint: AttachmentKind | undefined): AttachmentKind {
  if (hint === 'document') return 'document';
  if (hint === 'voice' && kind === 'audio') return 'voice';
  const isPicture = kind === 'image' || kind === 'video';
  return hint === 'sticker' && isPicture ? 'sticker' : kind;
}

async function typeOf(head: Buffer): Promise<string> {
  // Without parameters: no platform and no transcription service knows "audio/ogg; codecs=opus".
  const detected = (await fileTypeFromBuffer(head))?.mime.split(';', 1)[0];
  const isText = detected === undefined || /^text\/|\bxml$/.test(detected);
  if (!isText) return detected;
  const text = textOf(head);
  if (text === undefined) return detected ?? UNKNOWN_TYPE;
  const markup = RENDERED.find(([form]) => form.test(text.slice(0, MARKUP_LENGTH)));
  return markup?.[1] ?? detected ?? 'text/plain';
}

/** Undefined if the file is not text. */
function textOf(head: Buffer): string | undefined {
  if (head.length === 0 || head.includes(0)) return undefined;
  // `head` may end within a character.
  const whole = [0, 1, 2, 3].map((cut) => head.subarray(0, head.length - cut)).find((bytes) => isUtf8(bytes));
  if (whole) return whole.toString('utf8');
  // Text in Windows-1252 or the like.
  return head.some(isBinary) ? undefined : head.toString('latin1');
}

/** Bytes that no text has in any encoding with one byte for a character (WHATWG, MIME sniffing, 3: binary data byte). */
function isBinary(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/** A file is a document if it is no image, sound or video, or if it may run code where it is shown. */
function kindOfType(mimeType: string): AttachmentKind {
  if (mimeType === 'image/svg+xml') return 'document';
  // An Ogg file whose codec is unknown.
  if (mimeType === 'application/ogg') return 'audio';
  const [family] = mimeType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** Types that no browser runs. */
const PASSIVE = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/plain$)/;

/** The media type under which the content is served: plain bytes for anything that a browser might run or render. */
export function servedTypeOf(mimeType: string | null): string {
  if (mimeType === null || !PASSIVE.test(mimeType)) return UNKNOWN_TYPE;
  return mimeType === 'text/plain' ? 'text/plain; charset=utf-8' : mimeType;
}

/** The last part of a name, without what could mislead; null if nothing is left. */
export function cleanFilename(name: string | null | undefined): string | null {
  const last = name?.split(/[/\\]/).at(-1) ?? '';
  const cleaned = trimmed(withoutMisleading(last).replace(/["<>:|?*]/g, '_'));
  if (cleaned === '') return null;
  const characters = [...cleaned];
  if (characters.length <= MAX_FILENAME_LENGTH) return cleaned;
  const ending = ENDING.exec(cleaned)?.[0] ?? '';
  return characters.slice(0, MAX_FILENAME_LENGTH - ending.length).join('') + ending;
}

/** Spaces, dots and joiners that join nothing. */
const EDGE = /[\s.]|\u200c|\u200d/;

/** By hand: a regular expression tries the end of the text again from each of 15,000 spaces. */
function trimmed(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && EDGE.test(name[start]!)) start += 1;
  while (end > start && EDGE.test(name[end - 1]!)) end -= 1;
  return name.slice(start, end);
}

/** `attachment; filename="a.png"; filename*=UTF-8''…` (RFC 6266). */
export function contentDisposition(filename: string | null): string {
  if (filename === null) return 'attachment';
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
