import type { OutboundFile } from '../../media.port';
import type { FileForm, FileRules } from '../../media/plan';

const MIB = 1_024 * 1_024;
/** https://core.telegram.org/bots/api#sending-files */
const LARGEST = 50 * MIB;
const LARGEST_PHOTO = 10 * MIB;
/** https://core.telegram.org/bots/api#sendphoto */
const PHOTO_SIDES = 10_000;
const PHOTO_RATIO = 20;
const PHOTO_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);
const AUDIO_TYPES = new Set(['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/m4a']);
const VOICE_TYPES = new Set(['audio/ogg', ...AUDIO_TYPES]);
const STICKER_TYPES = new Set(['image/webp', 'video/webm', 'application/x-tgsticker']);

export interface TelegramForm extends FileForm {
  method: string;
  /** The parameter of the method, and the type of the item of an album. */
  field: 'photo' | 'video' | 'animation' | 'audio' | 'voice' | 'sticker' | 'document';
}

const PHOTO: TelegramForm = { method: 'sendPhoto', field: 'photo', takesCaption: true, album: 'visual' };
const VIDEO: TelegramForm = { method: 'sendVideo', field: 'video', takesCaption: true, album: 'visual' };
const ANIMATION: TelegramForm = { method: 'sendAnimation', field: 'animation', takesCaption: true };
const AUDIO: TelegramForm = { method: 'sendAudio', field: 'audio', takesCaption: true, album: 'audio' };
const VOICE: TelegramForm = { method: 'sendVoice', field: 'voice', takesCaption: true };
const STICKER: TelegramForm = { method: 'sendSticker', field: 'sticker', takesCaption: false };
export const DOCUMENT: TelegramForm = {
  method: 'sendDocument',
  field: 'document',
  takesCaption: true,
  album: 'document',
};

/** The best form that Telegram has for a file; everything else is a document. */
export function formOf(file: OutboundFile): TelegramForm {
  const { kind, mimeType } = file;
  if (kind === 'image' && mimeType === 'image/gif') return ANIMATION;
  if (kind === 'image' && isPhoto(file)) return PHOTO;
  if (kind === 'video' && mimeType === 'video/mp4') return VIDEO;
  if (kind === 'voice' && VOICE_TYPES.has(mimeType)) return VOICE;
  if ((kind === 'audio' || kind === 'voice') && AUDIO_TYPES.has(mimeType)) return AUDIO;
  // `sendAudio` takes no Ogg.
  if (kind === 'audio' && mimeType === 'audio/ogg') return VOICE;
  if (kind === 'sticker' && STICKER_TYPES.has(mimeType)) return STICKER;
  return DOCUMENT;
}

export const LONGEST_CAPTION = 1_024;

export const TELEGRAM_FILES: FileRules = {
  albumSize: 10,
  requestBytes: LARGEST,
  formOf: (file) => (file.sizeBytes > LARGEST ? 'Telegram accepts files of up to 50 MB from a bot' : formOf(file)),
};

function isPhoto({ mimeType, sizeBytes, width, height }: OutboundFile): boolean {
  if (!PHOTO_TYPES.has(mimeType) || sizeBytes > LARGEST_PHOTO) return false;
  if (!width || !height) return true;
  return width + height <= PHOTO_SIDES && Math.max(width / height, height / width) <= PHOTO_RATIO;
}
