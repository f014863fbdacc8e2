import { FakeFiles, type FakeFile } from './fake-files';
import type { FormFile } from './form-body';
import { type SentMedia, WhatsAppFailure } from './whatsapp-types';

const MIB = 1_024 * 1_024;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types */
const TYPES: Readonly<Record<string, readonly [types: RegExp, largest: number]>> = {
  image: [/^image\/(?:jpeg|png)$/, 5 * MIB],
  audio: [/^audio\/(?:aac|amr|mpeg|mp4|ogg)$/, 16 * MIB],
  video: [/^video\/(?:mp4|3gpp)$/, 16 * MIB],
  sticker: [/^image\/webp$/, 0.5 * MIB],
  document: [/./, 100 * MIB],
};
const LONGEST_CAPTION = 1_024;

/** Media by id: files in people's messages, and uploads of the gateway. */
export class WhatsAppMedia {
  readonly #files = new FakeFiles();

  add(bytes: Buffer | string, about?: Partial<FakeFile>): string {
    return this.#files.add(bytes, about);
  }

  expire(id: string): void {
    this.#files.expire(id);
  }

  get(id: string): FakeFile | undefined {
    return this.#files.get(id);
  }

  upload(files: readonly FormFile[], fields: Record<string, unknown>): { id: string } {
    const file = files.find(({ name }) => name === 'file');
    if (!file || fields['messaging_product'] !== 'whatsapp') throw invalid('a file is required');
    if (!Object.values(TYPES).some(([types, largest]) => types.test(file.type) && file.bytes.length <= largest))
      throw invalid('Param file must be a file with one of the following types');
    return { id: this.#files.add(file.bytes, { type: file.type, filename: file.filename }) };
  }

  /** The file of a message; undefined for a message without media. @throws WhatsAppFailure if the Graph API refuses it */
  sent(kind: string, media: unknown): { caption: string; file: SentMedia } | undefined {
    const rules = TYPES[kind];
    if (!rules) return undefined;
    const { id, caption = '', filename, voice } = (media ?? {}) as Record<string, unknown>;
    const file = typeof id === 'string' ? this.#files.get(id) : undefined;
    if (!file) throw new WhatsAppFailure(400, 131_053, 'Media upload error');
    if (!rules[0].test(file.type) || file.bytes.length > rules[1])
      throw new WhatsAppFailure(400, 131_053, 'Media upload error');
    if (typeof caption !== 'string' || caption.length > LONGEST_CAPTION) throw invalid('caption');
    if (caption !== '' && (kind === 'audio' || kind === 'sticker')) throw invalid('caption');
    const name = typeof filename === 'string' ? filename : file.filename;
    return { caption, file: { ...file, filename: name, kind, voice: voice === true } };
  }
}

function invalid(details: string): WhatsAppFailure {
  return new WhatsAppFailure(400, 100, 'Invalid parameter', details);
}
