import type { FormFile } from './form-body';
import { showText, type ShownText } from './telegram-text';
import type { TelegramParams } from './telegram-params';
import { TelegramFailure } from './telegram-types';

const MIB = 1_024 * 1_024;
/** https://core.telegram.org/bots/api#sending-files */
const LARGEST_UPLOAD = 50 * MIB;
const LARGEST_PHOTO = 10 * MIB;
/** Telegram serves no larger file to bots: https://core.telegram.org/bots/api#getfile */
export const LARGEST_DOWNLOAD = 20 * MIB;
const LONGEST_CAPTION = 1_024;

/** A file that Telegram accepted. */
export interface SentFile {
  /** Its field in the message: `photo`, `document`. */
  kind: string;
  filename: string;
  type: string;
  bytes: Buffer;
}

/** Method that sends one file → parameter that holds the file. */
export const FILE_METHODS: Readonly<Record<string, string>> = {
  sendphoto: 'photo',
  sendvideo: 'video',
  sendanimation: 'animation',
  sendaudio: 'audio',
  sendvoice: 'voice',
  sendsticker: 'sticker',
  senddocument: 'document',
};

/** The file and caption in a call of one of `FILE_METHODS`. */
export function readFile(kind: string, params: TelegramParams, files: readonly FormFile[]): [SentFile, ShownText] {
  const caption = kind === 'sticker' ? '' : params.text('caption');
  return [fileOf(kind, params.text(kind) || kind, files), captionOf(caption, params.text('parse_mode'))];
}

interface Item {
  type: string;
  media: string;
  caption?: string;
  parse_mode?: string;
}

/** The items of an album: https://core.telegram.org/bots/api#sendmediagroup */
export function readAlbum(params: TelegramParams, files: readonly FormFile[]): [SentFile, ShownText][] {
  const items = (params.json('media') ?? []) as Item[];
  if (items.length < 2 || items.length > 10) throw refused('wrong number of items in the album');
  const kinds = new Set(items.map(({ type }) => (type === 'video' ? 'photo' : type)));
  if (kinds.size > 1 || !['photo', 'document', 'audio'].some((kind) => kinds.has(kind)))
    throw refused("can't use the media of the specified type in the album");
  return items.map((item) => [
    fileOf(item.type, item.media, files),
    captionOf(item.caption ?? '', item.parse_mode ?? ''),
  ]);
}

function fileOf(kind: string, reference: string, files: readonly FormFile[]): SentFile {
  const name = reference.replace(/^attach:\/\//, '');
  const file = files.find((candidate) => candidate.name === name);
  if (!file || file.bytes.length === 0)
    throw refused(file ? 'file must be non-empty' : `there is no ${kind} in the request`);
  if (kind === 'photo' && file.bytes.length > LARGEST_PHOTO) throw refused('file is too big for a photo');
  if (file.bytes.length > LARGEST_UPLOAD) throw new TelegramFailure(413, 'Request Entity Too Large');
  const { filename, type, bytes } = file;
  return { kind, filename, type, bytes };
}

function captionOf(caption: string, parseMode: string): ShownText {
  if (caption === '') return { text: '', entities: [] };
  const shown = showText(caption, parseMode);
  if (shown.text.length > LONGEST_CAPTION) throw refused('message caption is too long');
  return shown;
}

function refused(reason: string): TelegramFailure {
  return new TelegramFailure(400, `Bad Request: ${reason}`);
}
