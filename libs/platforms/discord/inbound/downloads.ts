import { DiscordAPIError } from 'discord.js';
import { failed, GONE, retryLater, openDownload } from '../../media/download';
import type { Download } from '../../media.port';
import type { DiscordApi } from '../discord-api';
import { retryAfterOf } from '../discord-errors';
import type { DiscordTimings } from '../discord.options';

/** Discord answers 403 if the signature is wrong. */
const GONE_STATUSES = [403, 404, 410];

/**
 * Downloads from Discord's CDN. An attachment's address is signed for about a day; the same address can be signed anew as
 * long as the file exists: https://discord.com/developers/docs/reference#signed-attachment-cdn-urls
 */
export class Downloads {
  constructor(
    private readonly api: DiscordApi,
    private readonly timings: Pick<DiscordTimings, 'silenceMs'>,
  ) {}

  async start(url: string, signal: AbortSignal): Promise<Download> {
    if (!URL.canParse(url)) return failed('expired', 'the address of the file is not a URL');
    if (!hasExpired(url)) {
      const download = await this.open(url, signal);
      if (download !== GONE) return download;
    }
    try {
      const refreshed = await this.api.refreshUrl(url, signal);
      const download = refreshed && URL.canParse(refreshed) ? await this.open(refreshed, signal) : GONE;
      return download === GONE ? failed('expired', 'Discord no longer provides the file') : download;
    } catch (error) {
      if (error instanceof DiscordAPIError && (error.status === 400 || error.status === 404))
        return failed('expired', `Discord answered ${error.status} to the renewal of the file's address`);
      return retryLater(error, retryAfterOf(error));
    }
  }

  private open(url: string, signal: AbortSignal): Promise<Download | typeof GONE> {
    return openDownload(this.api.http, { url, gone: GONE_STATUSES }, signal, { silenceMs: this.timings.silenceMs });
  }
}

/** `ex` is the time of expiry, in hexadecimal Unix seconds. */
function hasExpired(url: string): boolean {
  const seconds = Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16);
  return seconds * 1_000 < Date.now();
}
