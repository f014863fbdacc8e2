import {
  CDNRoutes,
  ImageFormat,
  RouteBases,
  StickerFormatType,
  type APIAttachment,
  type APIStickerItem,
} from 'discord.js';
import type { InboundAttachment } from '../../media.port';
import { attachment } from '../../media/attachment';
import { kindOf, type Sparse } from './inbound-content';
import { hasFlag } from './kinds/flags';

type Files = Partial<Pick<Sparse, 'attachments' | 'flags' | 'sticker_items' | 'message_snapshots'>>;

/** The files and stickers of a message, also of a forwarded one. Their addresses are signed and expire. */
export function attachmentsOf({ attachments, flags, sticker_items, message_snapshots }: Files): InboundAttachment[] {
  const isVoice = hasFlag({ flags }, 'IsVoiceMessage');
  return [
    ...(attachments ?? []).map((file) => ofFile(file, isVoice)),
    ...(sticker_items ?? []).flatMap(ofSticker),
    ...(message_snapshots ?? []).flatMap(({ message }) => attachmentsOf(message)),
  ];
}

function ofFile(file: Partial<APIAttachment>, isVoice: boolean): InboundAttachment {
  const { url, content_type, filename, size, width, height, duration_secs } = file;
  return attachment(isVoice ? 'voice' : kindOf(content_type), {
    ref: url,
    mimeType: content_type?.split(';', 1)[0],
    filename,
    sizeBytes: size,
    width,
    height,
    durationSeconds: duration_secs,
  });
}

/** https://discord.com/developers/docs/reference#image-formatting-cdn-endpoints. A Lottie sticker is a program, not a picture. */
function ofSticker({ id, name, format_type }: APIStickerItem): InboundAttachment[] {
  if (format_type === StickerFormatType.Lottie) return [{ kind: 'sticker' }];
  const isGif = format_type === StickerFormatType.GIF;
  const base = isGif ? RouteBases.media : RouteBases.cdn;
  const ref = `${base}${CDNRoutes.sticker(id, isGif ? ImageFormat.GIF : ImageFormat.PNG)}`;
  return [attachment('sticker', { ref, mimeType: isGif ? 'image/gif' : 'image/png', filename: name })];
}
