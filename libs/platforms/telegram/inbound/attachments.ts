import type { TelegramMessage } from '@gramio/types/objects';
import type { InboundAttachment } from '../../media.port';
import { attachment } from '../../media/attachment';
import { attempt } from './attempt';
import { readRichMessage } from './kinds/rich-message';

/** The fields of Telegram's kinds of files; each kind has some of them. */
interface TelegramFile {
  file_id?: unknown;
  mime_type?: unknown;
  file_name?: unknown;
  file_size?: unknown;
  width?: unknown;
  height?: unknown;
  /** The side length of a video message, which is square and shown round. */
  length?: unknown;
  duration?: unknown;
  is_animated?: unknown;
  is_video?: unknown;
}

/** The order matters: an animation also has the field of a document. */
const FILES = [
  ['photo', 'image'],
  ['video', 'video'],
  ['animation', 'video'],
  ['video_note', 'video'],
  ['voice', 'voice'],
  ['voice_note', 'voice'],
  ['audio', 'audio'],
  ['document', 'document'],
  ['sticker', 'sticker'],
] as const satisfies readonly (readonly [string, InboundAttachment['kind']])[];

/** The files of a message, its location or contact. Only a rich message and paid media have several. */
export function attachmentsOf(message: TelegramMessage): InboundAttachment[] {
  return attempt(() => read(message)) ?? [];
}

function read(message: TelegramMessage): InboundAttachment[] {
  const file = fileOf(message);
  if (file) return [file];
  if (message.venue ?? message.location) return [{ kind: 'location' }];
  if (message.contact) return [{ kind: 'contact' }];
  const { rich_message: rich, paid_media: paid } = message;
  const paidFor = paid?.paid_media.map((one) => (one.type === 'live_photo' ? one.live_photo : one));
  const several = rich ? readRichMessage(rich).files : (paidFor ?? []);
  return several.flatMap((one) => fileOf(one) ?? []);
}

/** @param holder a message, or a part of it, with the field of a file */
function fileOf(holder: object): InboundAttachment | undefined {
  const fields = holder as Readonly<Record<string, unknown>>;
  for (const [field, kind] of FILES) {
    const file = (field === 'photo' ? largest(fields[field]) : fields[field]) as TelegramFile | undefined;
    if (typeof file?.file_id === 'string') return ofFile(kind, file);
  }
  return undefined;
}

function ofFile(kind: InboundAttachment['kind'], file: TelegramFile): InboundAttachment {
  const { file_id, file_name, file_size, width, height, length, duration } = file;
  return attachment(kind, {
    ref: file_id,
    mimeType: file.mime_type ?? typeOf(kind, file),
    filename: file_name,
    sizeBytes: file_size,
    width: width ?? length,
    height: height ?? length,
    durationSeconds: duration,
  });
}

/** Telegram makes photos and stickers itself, and does not name their types: https://core.telegram.org/stickers */
function typeOf(kind: InboundAttachment['kind'], { is_animated, is_video }: TelegramFile): string | undefined {
  if (kind === 'image') return 'image/jpeg';
  if (kind !== 'sticker') return undefined;
  if (is_video === true) return 'video/webm';
  return is_animated === true ? 'application/x-tgsticker' : 'image/webp';
}

/** A photo comes in several sizes. */
function largest(sizes: unknown): TelegramFile | undefined {
  if (!Array.isArray(sizes)) return undefined;
  const area = ({ width, height }: TelegramFile): number => Number(width ?? 0) * Number(height ?? 0);
  return (sizes as TelegramFile[]).toSorted((one, other) => area(other) - area(one))[0];
}
