import { Agent, buildConnector } from 'undici';
import { type HttpAnswer, exchange } from './exchange';
import type { Upload } from './multipart';
import { type FileAnswer, type FileLimits, openFile } from './file-answer';
import { ConnectFailure, reasonOf, TransportError } from './transport-error';

export interface CallLimits {
  /** Aborts the call at once. */
  signal?: AbortSignal;
  /** The whole exchange, in milliseconds. */
  deadlineMs: number;
  /** Called when the connection is made. If it returns false, nothing is written. */
  mayWrite?: () => boolean;
}

export interface HttpCall extends CallLimits {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Upload;
}

export interface FileCall extends Pick<CallLimits, 'signal'>, FileLimits {
  url: string;
  headers?: Record<string, string>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Calls a platform over HTTP. Its errors say whether the request was written before the connection failed, which most
 * clients hide. They never contain the URL, which may carry a token.
 */
export class HttpClient {
  readonly #agent = new Agent({
    connect: connector(),
    // An idle socket that the platform closes at the moment of a write would make that send ambiguous: close it first.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    // Deadlines are per call: a long poll answers late on purpose.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  /**
   * Resolves with any answer, whatever its status. Rejects with a {@link TransportError} when there is none. An upload
   * counts as written only when its last bytes are: no server acts on half a request.
   */
  async exchange({ url, method, headers, body, signal, deadlineMs, mayWrite }: HttpCall): Promise<HttpAnswer> {
    const { host } = new URL(url);
    const late = new AbortController();
    const deadline = setTimeout(() => late.abort(), deadlineMs);
    const signals = signal ? [signal, late.signal] : [late.signal];
    let [begun, written] = [false, false];
    const isUpload = typeof body === 'object';
    const onWrite = (): boolean => {
      begun = mayWrite?.() ?? true;
      written = begun && !isUpload;
      return begun;
    };
    const stream = isUpload ? body.open(() => (written = true)) : undefined;
    try {
      const sent = isUpload
        ? { ...headers, 'content-type': body.contentType, 'content-length': String(body.length) }
        : headers;
      return await exchange(this.#agent, url, {
        method,
        headers: sent,
        body: stream ?? (body as string),
        signals,
        onWrite,
      });
    } catch (error) {
      if (error instanceof ConnectFailure)
        throw new TransportError(`cannot connect to ${host}: ${error.reason}`, false);
      const timedOut = late.signal.aborted && !signal?.aborted;
      const missing = written ? 'answer' : begun ? 'complete upload' : 'connection';
      const reason = timedOut ? `no ${missing} within ${deadlineMs} ms` : `the connection broke (${reasonOf(error)})`;
      throw new TransportError(`${host}: ${reason}`, written);
    } finally {
      clearTimeout(deadline);
      stream?.destroy();
    }
  }

  /** Opens a file; its body is read by the caller, or destroyed. Rejects with a {@link TransportError} without an answer. */
  async file({ url, headers, signal, ...limits }: FileCall): Promise<FileAnswer> {
    return openFile(this.#agent, url, { headers, signal, ...limits });
  }

  /** Closes every connection; calls in progress fail. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * The answer of a server between the gateway and the platform (a proxy). A proxy that refuses (4xx) has not passed the
 * request on; any other may have.
 */
export function foreignAnswer(host: string, status: number, api: string): TransportError {
  const refused = status >= 400 && status < 500;
  return new TransportError(`${host} answered ${status} with a body that is not from the ${api}`, !refused);
}

/** A connector whose errors differ from those of an established connection. */
function connector(): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) =>
      error ? callback(new ConnectFailure(reasonOf(error)), null) : callback(null, socket),
    );
}
