import { failed, GONE, retryLater, openDownload } from '../../media/download';
import type { Download, DownloadOptions } from '../../media.port';
import { meaningOf } from '../error-codes';
import type { GraphApi } from '../graph-api';
import { GraphError } from '../graph-error';
import type { WhatsAppTimings } from '../whatsapp.options';
import { text } from './notification';

/**
 * Downloads by media id, which is valid for seven days: each download looks up a URL, which is valid for five minutes.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media
 */
export class Downloads {
  constructor(
    private readonly api: GraphApi,
    private readonly timings: Pick<WhatsAppTimings, 'answerMs' | 'silenceMs'>,
  ) {}

  async start(mediaId: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download> {
    try {
      const limits = { signal, deadlineMs: this.timings.answerMs };
      const found = await this.api.get(encodeURIComponent(mediaId), {}, limits);
      const url = text(found['url']);
      if (url === undefined || !URL.canParse(url)) return failed('expired', 'WhatsApp provides no URL for the file');
      const size = Number(found['file_size'] ?? Number.NaN);
      const source = {
        url,
        headers: this.api.authorization,
        sizeBytes: Number.isSafeInteger(size) ? size : undefined,
        mimeType: text(found['mime_type'])?.split(';', 1)[0],
      };
      const { silenceMs } = this.timings;
      const download = await openDownload(this.api.http, source, signal, { silenceMs, ...options });
      // The address was given a moment ago, so that it has not expired.
      return download === GONE ? failed('expired', 'WhatsApp has no file at the URL that it provided') : download;
    } catch (error) {
      return failureOf(error);
    }
  }
}

/** An id that has expired or never was is an object that does not exist: code 100, subcode 33. */
function failureOf(error: unknown): Download {
  if (!(error instanceof GraphError)) return retryLater(error);
  const { failure, retryAfterMs } = meaningOf(error.code, error.status);
  const isGone = error.status === 404 || failure === 'content_rejected';
  const message = `WhatsApp: ${error.message}`;
  return isGone
    ? failed('expired', message)
    : { ...failed('later', message), retryAfterMs: error.retryAfterMs ?? retryAfterMs };
}
