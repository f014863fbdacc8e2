import type { OutboundFile } from '../../media.port';
import type { FileForm, FileRules } from '../../media/plan';

const MIB = 1_024 * 1_024;

export interface WhatsAppForm extends FileForm {
  type: 'image' | 'video' | 'audio' | 'sticker' | 'document';
}

interface Form extends WhatsAppForm {
  kinds: readonly OutboundFile['kind'][];
  mimeTypes: RegExp;
  largest: number;
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types */
const FORMS: readonly Form[] = [
  { type: 'image', kinds: ['image'], mimeTypes: /^image\/(?:jpeg|png)$/, largest: 5 * MIB, takesCaption: true },
  { type: 'video', kinds: ['video'], mimeTypes: /^video\/(?:mp4|3gpp)$/, largest: 16 * MIB, takesCaption: true },
  {
    type: 'audio',
    kinds: ['audio', 'voice'],
    mimeTypes: /^audio\/(?:aac|amr|mpeg|mp4|ogg)$/,
    largest: 16 * MIB,
    takesCaption: false,
  },
  { type: 'sticker', kinds: ['sticker'], mimeTypes: /^image\/webp$/, largest: MIB / 2, takesCaption: false },
];

const LARGEST_DOCUMENT = 100 * MIB;
const OFFICE = 'vnd.openxmlformats-officedocument';
/** Media types that an upload accepts, as its error lists them; a document's type matters too. */
const UPLOADABLE: ReadonlySet<string> = new Set([
  ...['aac', 'amr', 'mp4', 'mpeg', 'ogg', 'opus'].map((type) => `audio/${type}`),
  ...['jpeg', 'png', 'webp'].map((type) => `image/${type}`),
  ...['mp4', '3gpp'].map((type) => `video/${type}`),
  ...['pdf', 'msword', 'vnd.ms-excel', 'vnd.ms-powerpoint'].map((type) => `application/${type}`),
  ...['wordprocessingml.document', 'presentationml.presentation', 'spreadsheetml.sheet'].map(
    (type) => `application/${OFFICE}.${type}`,
  ),
  'text/plain',
]);
/** Other names of a media type. WhatsApp treats any text as plain text. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'application/json': 'text/plain',
  'application/xml': 'text/plain',
};

export function uploadType({ mimeType }: Pick<OutboundFile, 'mimeType'>): string {
  if (UPLOADABLE.has(mimeType)) return mimeType;
  return SYNONYMS[mimeType] ?? (mimeType.startsWith('text/') ? 'text/plain' : mimeType);
}

/** The best form that WhatsApp has for a file: a document where it is too large, or of another type. */
export function formOf(file: OutboundFile): WhatsAppForm {
  const type = uploadType(file);
  const form = FORMS.find(
    ({ kinds, mimeTypes, largest }) => kinds.includes(file.kind) && mimeTypes.test(type) && file.sizeBytes <= largest,
  );
  return form ?? { type: 'document', takesCaption: true };
}

export const LONGEST_CAPTION = 1_024;

/** WhatsApp has no albums. */
export const WHATSAPP_FILES: FileRules = {
  albumSize: 1,
  requestBytes: LARGEST_DOCUMENT,
  formOf: (file) => {
    if (!UPLOADABLE.has(uploadType(file))) return `WhatsApp does not accept files of the type ${file.mimeType}`;
    return file.sizeBytes > LARGEST_DOCUMENT ? 'WhatsApp accepts files of up to 100 MB' : formOf(file);
  },
};
