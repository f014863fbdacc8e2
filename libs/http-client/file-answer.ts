import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ConnectFailure, reasonOf, TransportError } from './transport-error';

export interface FileAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /**
   * Ends with a {@link TransportError} if the connection breaks, the server sends too slowly, or the body is not as long as
   * announced. Only the time in which the reader waits for the server counts.
   */
  body: Readable;
}

export interface FileLimits {
  /** Until the head of the answer, and for each silence after it, in milliseconds. */
  silenceMs: number;
  /** The least average speed, in bytes per second, after the first `silenceMs`. A silence alone does not stop a drip. */
  bytesPerSecond: number;
  /** Expected size from another answer; the answer's own `Content-Length` is checked in any case. */
  sizeBytes?: number;
}

type FileOptions = FileLimits & { headers?: Record<string, string>; signal?: AbortSignal };

/** How much is read ahead of the reader, in bytes. */
const READ_AHEAD = 64 * 1_024;

/** Follows no redirect. Errors never contain the URL, which may carry a token. */
export async function openFile(dispatcher: Dispatcher, url: string, options: FileOptions): Promise<FileAnswer> {
  const { origin, pathname, search, host } = new URL(url);
  const ended = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal;
  const late = setTimeout(() => ended.abort(), options.silenceMs);
  try {
    const { headers } = options;
    const answer = await dispatcher.request({ origin, path: `${pathname}${search}`, method: 'GET', headers, signal });
    const end = (): void => ended.abort();
    const watched = bytesOf(answer.body, host, { ...options, sizeBytes: lengthOf(answer, options.sizeBytes) }, end);
    // undici's body ends with an error when it is aborted.
    answer.body.on('error', () => undefined);
    return { status: answer.statusCode, headers: answer.headers, body: readableOf(watched, end) };
  } catch (error) {
    if (error instanceof ConnectFailure) throw new TransportError(`cannot connect to ${host}: ${error.reason}`, false);
    const timedOut = ended.signal.aborted && !options.signal?.aborted;
    const reason = timedOut ? `no answer within ${options.silenceMs} ms` : `the connection broke (${reasonOf(error)})`;
    throw new TransportError(`${host}: ${reason}`, true);
  } finally {
    clearTimeout(late);
  }
}

/** `Readable.from` would let a reader who leaves wait for the next chunk. */
function readableOf(chunks: AsyncGenerator<Buffer, void>, end: () => void): Readable {
  return new Readable({
    highWaterMark: READ_AHEAD,
    read() {
      chunks.next().then(
        ({ value }) => this.push(value ?? null),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error, done) {
      end();
      done(error);
    },
  });
}

async function* bytesOf(
  body: Readable,
  host: string,
  limits: FileLimits,
  end: () => void,
): AsyncGenerator<Buffer, void> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { silenceMs, bytesPerSecond, sizeBytes } = limits;
  let received = 0;
  let waitedMs = 0;
  for (;;) {
    const allowedMs = Math.min(silenceMs, silenceMs + (received / bytesPerSecond) * 1_000 - waitedMs);
    const askedAt = performance.now();
    const next = await within(allowedMs, chunks.next(), end).catch((error: unknown) => {
      throw new TransportError(`${host}: the download ended after ${received} bytes (${reasonOf(error)})`, true);
    });
    if (next === 'late') throw new TransportError(`${host}: too slow, received ${received} bytes`, true);
    waitedMs += performance.now() - askedAt;
    if (next.done) break;
    received += next.value.length;
    if (sizeBytes !== undefined && received > sizeBytes) break;
    yield next.value;
  }
  if (sizeBytes !== undefined && received !== sizeBytes)
    throw new TransportError(`${host}: expected ${sizeBytes} bytes`, true);
}

async function within<T>(ms: number, promise: Promise<T>, late: () => void): Promise<T | 'late'> {
  const { promise: timeout, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => {
    resolve('late');
    late();
  }, ms);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The size that the body must have; undefined if it is unknown. Node itself cuts a body at its `Content-Length`. */
function lengthOf({ headers, statusCode }: Dispatcher.ResponseData, expected: number | undefined): number | undefined {
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (statusCode !== 200) return undefined;
  return expected ?? (Number.isSafeInteger(announced) ? announced : undefined);
}
