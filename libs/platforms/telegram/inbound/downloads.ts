import { TelegramError } from 'telegraf';
import { pause } from '#http-client';
import { failed, GONE, retryLater, openDownload } from '../../media/download';
import type { Download, DownloadOptions } from '../../media.port';
import type { BotApi } from '../bot-api';
import { retryAfterMs } from '../connection-faults';
import type { TelegramTimings } from '../telegram.options';

/** Telegram says "temporarily unavailable" of lost files too, so the gateway tries only once more. */
const ASKED_AGAIN_AFTER_MS = 2_000;

const LOCAL_SERVER = 'the Bot API server runs with --local: it returns paths on its own disk instead of files';

/** Downloads by file id: https://core.telegram.org/bots/api#getfile. The link is valid for an hour, the id for ever. */
export class Downloads {
  constructor(
    private readonly api: BotApi,
    private readonly timings: Pick<TelegramTimings, 'answerMs' | 'silenceMs'>,
  ) {}

  async start(fileId: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download> {
    const source = await this.lookUp(fileId, signal);
    if ('started' in source) return source;
    const { silenceMs } = this.timings;
    const download = await openDownload(this.api.http, source, signal, { silenceMs, ...options });
    return download === GONE ? failed('expired', 'Telegram has no file at the link that it provided') : download;
  }

  private async lookUp(fileId: string, signal: AbortSignal) {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const limits = { signal, deadlineMs: this.timings.answerMs };
        const { file_path, file_size } = await this.api.call('getFile', { file_id: fileId }, limits);
        if (!file_path) return failed('expired', 'Telegram provides no link to the file');
        // https://core.telegram.org/bots/api#using-a-local-bot-api-server
        if (file_path.startsWith('/')) return failed('expired', LOCAL_SERVER);
        return { url: this.api.fileUrl(file_path), sizeBytes: file_size };
      } catch (error) {
        const mayPass = error instanceof TelegramError && /temporarily unavailable/i.test(error.description);
        if (!isFirst || !mayPass || signal.aborted) return failureOf(error);
        await pause(ASKED_AGAIN_AFTER_MS, signal);
      }
    }
  }
}

function failureOf(error: unknown): Download {
  if (!(error instanceof TelegramError)) return retryLater(error);
  const said = `Telegram: ${error.code} ${error.description}`;
  if (error.code !== 400) return { ...failed('later', said), retryAfterMs: retryAfterMs(error) };
  return failed(/too big|too large/i.test(error.description) ? 'too_large' : 'expired', said);
}
