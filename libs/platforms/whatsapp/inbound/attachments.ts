import type { InboundAttachment } from '../../media.port';
import { attachment } from '../../media/attachment';
import { typeOf } from './inbound-content';
import { list, type NotifiedMessage } from './notification';

const FILES: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages */
export function attachmentsOf(message: NotifiedMessage): InboundAttachment[] {
  const type = typeOf(message);
  if (type === 'location') return [{ kind: 'location' }];
  if (type === 'contacts') return list(message['contacts']).map(() => ({ kind: 'contact' }));
  const media = message[type];
  if (!FILES.has(type) || typeof media !== 'object' || media === null) return [];
  const { id, mime_type, filename, voice } = media as Readonly<Record<string, unknown>>;
  const kind = voice === true ? 'voice' : (type as InboundAttachment['kind']);
  const mimeType = typeof mime_type === 'string' ? mime_type.split(';', 1)[0] : undefined;
  return [attachment(kind, { ref: id, mimeType, filename })];
}
