import { LRUCache } from 'lru-cache';
import type { CallLimits } from '#http-client';
import type { OutboundFile } from '../../media.port';
import type { GraphApi } from '../graph-api';
import { UnreadableError } from '../../fault-words';
import { idText } from '../inbound/notification';
import { uploadType } from './file-forms';

/** An id is valid for 30 days; a send that waits for a limit continues within minutes. */
const REMEMBERED_MS = 3_600_000;

/**
 * Uploads a file before the message that names it. A message that is sent again does not upload it again.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#upload-media
 */
export class MediaUploads {
  private readonly ids = new LRUCache<string, string>({ max: 1_000, ttl: REMEMBERED_MS });

  constructor(private readonly api: GraphApi) {}

  /** @param key of the part */
  async idOf(key: string, file: OutboundFile, limits: CallLimits): Promise<string> {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const mimeType = uploadType(file);
    const { filename, sizeBytes } = file;
    const answer = await this.api.upload(
      { messaging_product: 'whatsapp', type: mimeType },
      { name: 'file', filename, mimeType, sizeBytes, open: () => file.open() },
      limits,
    );
    const id = idText(answer['id']);
    if (id === undefined) throw new UnreadableError('WhatsApp returned no id for the uploaded file');
    this.ids.set(key, id);
    return id;
  }
}
