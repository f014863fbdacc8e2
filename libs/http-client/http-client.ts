import { Agent, buildConnector } from 'undici';
import { type HttpAnswer, exchange } from './exchange';
import { ConnectFailure, reasonOf, TransportError } from './transport-error';

export interface CallLimits {
  /** Aborts the call at once. */
  signal?: AbortSignal;
  /** The whole exchange, in milliseconds. */
  deadlineMs: number;
  /** Asked when the connection is made: false, and nothing is written. */
  mayWrite?: () => boolean;
}

export interface HttpCall extends CallLimits {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
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

  /** Resolves with any answer, whatever its status. Rejects with a {@link TransportError} when there is none. */
  async exchange({ url, method, headers, body, signal, deadlineMs, mayWrite }: HttpCall): Promise<HttpAnswer> {
    const { host } = new URL(url);
    const late = new AbortController();
    const deadline = setTimeout(() => late.abort(), deadlineMs);
    const signals = signal ? [signal, late.signal] : [late.signal];
    let written = false;
    const onWrite = (): boolean => (written = mayWrite?.() ?? true);
    try {
      return await exchange(this.#agent, url, { method, headers, body, signals, onWrite });
    } catch (error) {
      if (error instanceof ConnectFailure)
        throw new TransportError(`cannot connect to ${host}: ${error.reason}`, false);
      const timedOut = late.signal.aborted && !signal?.aborted;
      const missing = written ? 'answer' : 'connection';
      const reason = timedOut ? `no ${missing} within ${deadlineMs} ms` : `the connection broke (${reasonOf(error)})`;
      throw new TransportError(`${host}: ${reason}`, written);
    } finally {
      clearTimeout(deadline);
    }
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
  return new TransportError(`${host} answered ${status} with a body that is not the ${api}'s`, !refused);
}

/** A connector whose errors differ from those of an established connection. */
function connector(): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) =>
      error ? callback(new ConnectFailure(reasonOf(error)), null) : callback(null, socket),
    );
}
