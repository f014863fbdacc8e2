import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface ExchangeOptions {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Readable | null;
  /** Each signal ends the exchange. */
  signals?: readonly AbortSignal[];
  /**
   * How much of the answer's body to read, in bytes. The exchange does not wait for the rest, and keeps what arrived if
   * the body breaks off. Unset: all of it, or an error.
   */
  beginning?: number;
  /** The exchange fails once the answer's body has more bytes. */
  most?: number;
  /** Called once connected, before the first write. If it returns false, nothing is written and the exchange fails. */
  onWrite?: () => boolean;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Drops a byte order mark, and never throws. */
const UTF8 = new TextDecoder();

/**
 * One HTTP request, answered when the body was read. The dispatcher decides about connections, redirects and proxies;
 * nothing is decompressed. `undici.request` does the same, but its allocations outlive every scavenge (ADR 29).
 * @throws the dispatcher's error, or a signal's reason
 */
export async function exchange(
  dispatcher: Dispatcher,
  url: string | URL,
  { method, headers, body, signals = [], beginning, most, onWrite }: ExchangeOptions,
): Promise<HttpAnswer> {
  for (const signal of signals) signal.throwIfAborted();
  const { origin, pathname, search } = new URL(url);
  const reading = new Reading({ beginning, most, onWrite });
  const giveUp = ({ target }: Event) => reading.giveUp((target as AbortSignal).reason as Error);
  for (const signal of signals) signal.addEventListener('abort', giveUp);
  try {
    dispatcher.dispatch({ origin, path: `${pathname}${search}`, method, headers, body }, reading);
    return await reading.answer;
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', giveUp);
  }
}

/** @see https://undici.nodejs.org/#/docs/api/Dispatcher — a redirect begins another request with the same handler */
class Reading implements Dispatcher.DispatchHandler {
  private readonly settled = Promise.withResolvers<HttpAnswer>();
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isEnough = false;
  private controller?: Dispatcher.DispatchController;
  private head?: Pick<HttpAnswer, 'status' | 'headers'>;
  private abandoned?: { reason: Error };

  constructor(private readonly options: Pick<ExchangeOptions, 'beginning' | 'most' | 'onWrite'>) {}

  get answer(): Promise<HttpAnswer> {
    return this.settled.promise;
  }

  giveUp(reason: Error): void {
    this.abandoned = { reason };
    this.controller?.abort(reason);
    this.fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.abandoned) controller.abort(this.abandoned.reason);
    else if (this.options.onWrite?.() === false) controller.abort(new Error('cancelled before it was written'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { beginning, most = Infinity } = this.options;
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size > most) return this.giveUp(new Error('The answer is too large'));
    if (beginning === undefined || this.size <= beginning || this.isEnough) return;
    this.isEnough = true;
    this.finish();
    // After the chunks that came with this one: if the body ends with them, the connection can be reused.
    queueMicrotask(() => controller.abort(new Error('the rest was not needed')));
  }

  onResponseEnd(): void {
    this.finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  private fail(error: Error): void {
    if (this.head && this.options.beginning !== undefined) this.finish();
    else this.settled.reject(error);
  }

  private finish(): void {
    const body = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.settled.resolve({ ...this.head!, text: UTF8.decode(body.subarray(0, this.options.beginning)) });
  }
}
