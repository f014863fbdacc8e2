import { type FileAnswer, type FileLimits, type HttpClient, retryAfterOf, TransportError } from '#http-client';
import { wordsOf } from '../fault-words';
import type { Download, DownloadOptions, DownloadFailed, DownloadFailure } from '../media.port';

/** A slower download is stopped and retried later: it would hold a worker for hours. */
const LIMITS: FileLimits = { silenceMs: 30_000, bytesPerSecond: 4_096 };

/** Meta's file servers refuse requests without one. */
const USER_AGENT = { 'user-agent': 'messaging-gateway' };

export interface FileSource {
  /** May contain a token: never put it into a message. */
  url: string;
  headers?: Record<string, string>;
  /** The length that a look-up named. */
  sizeBytes?: number;
  mimeType?: string;
  /** Statuses that say that the file is not there. */
  gone?: readonly number[];
}

/** The answer says that the file does not exist: its address may have expired. */
export const GONE = Symbol('gone');

/** Opens a file at a platform's address. */
export async function openDownload(
  http: HttpClient,
  { url, headers, sizeBytes, mimeType, gone = [404, 410] }: FileSource,
  signal: AbortSignal,
  { ignoresLookUp = false, ...limits }: Partial<FileLimits> & DownloadOptions = {},
): Promise<Download | typeof GONE> {
  let answer: FileAnswer;
  try {
    answer = await http.file({
      url,
      headers: { ...USER_AGENT, ...headers },
      sizeBytes: ignoresLookUp ? undefined : sizeBytes,
      signal,
      ...LIMITS,
      ...limits,
    });
  } catch (error) {
    return retryLater(error);
  }
  const { status, headers: told, body } = answer;
  if (status === 200) {
    const length = Number(told['content-length'] ?? Number.NaN);
    return {
      started: true,
      body,
      sizeBytes: Number.isSafeInteger(length) ? length : undefined,
      mimeType: mimeType ?? typeOf(told['content-type']),
    };
  }
  body.destroy();
  if (gone.includes(status)) return GONE;
  const { host } = new URL(url);
  return { ...failed('later', `${host} answered ${status} to the download`), retryAfterMs: retryAfterOf(told) };
}

export function failed(failure: DownloadFailure, message: string): DownloadFailed {
  return { started: false, failure, message };
}

/** The network broke, or the gateway failed: a later try may succeed. */
export function retryLater(error: unknown, retryAfterMs?: number): DownloadFailed {
  const message = error instanceof TransportError ? error.message : wordsOf(error);
  return { ...failed('later', message), retryAfterMs };
}

/** The media type without its parameters. */
function typeOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.split(';', 1)[0]!.trim().toLowerCase() || undefined : undefined;
}
