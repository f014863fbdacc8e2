import { type Telegram, TelegramError } from 'telegraf';
import type { ApiError } from 'telegraf/types';
import { Agent, buildConnector, request } from 'undici';
import { ConnectFailure, reasonOf, TransportError } from './bot-api.errors';

type Method = Parameters<Telegram['callApi']>[0];
/** What a method takes and gives, as Telegraf declares it. */
export type Payload<M extends Method> = Parameters<typeof Telegram.prototype.callApi<M>>[1];
type Result<M extends Method> = Awaited<ReturnType<typeof Telegram.prototype.callApi<M>>>;

export interface CallLimits {
  /** Aborts the call at once. */
  signal?: AbortSignal;
  /** The whole exchange, in milliseconds. */
  deadlineMs: number;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Calls the Bot API with Telegraf's types and errors over a transport of our own, because Telegraf's client (node-fetch 2)
 * cannot tell what a gateway must know: it does not say whether a request was written before the connection failed, throws
 * away the body of every 5xx (which distinguishes Telegram's own refusal from a proxy's), and puts the URL with the token
 * into the message of an error about a body that is not JSON. Errors thrown here never contain the token.
 */
export class BotApi {
  readonly #agent = new Agent({
    connect: connector(),
    // An idle socket that Telegram closes at the moment of a write would make that send ambiguous: close it first.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 10_000,
    // Deadlines are per call: a long poll answers late on purpose.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  readonly #root: string;

  constructor(
    private readonly token: string,
    apiRoot: string,
  ) {
    this.#root = apiRoot.replace(/\/+$/, '');
  }

  /** The host that is called, for messages. */
  get host(): string {
    return new URL(this.#root).host;
  }

  /**
   * Calls a method. Rejects with a TelegramError when Telegram refused, with a {@link TransportError} when no answer of
   * Telegram's came.
   */
  async call<M extends Method>(method: M, payload: Payload<M>, { signal, deadlineMs }: CallLimits): Promise<Result<M>> {
    const { status, text } = await this.#post(method, JSON.stringify(payload), deadlineMs, signal);
    const answer = parse(text, status);
    if (!answer) {
      const message = `${this.host} answered ${status} with a body that is not the Bot API's`;
      throw new TransportError(message, !isRefusal(status));
    }
    if (answer.ok) return answer.result as Result<M>;
    // Telegraf would attach the payload, and with it texts and the webhook's secret, to the error: leave it out.
    throw new TelegramError({ ...answer, description: this.#withoutToken(answer.description) });
  }

  /** Closes every connection; calls in progress fail. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(
    method: string,
    body: string,
    deadlineMs: number,
    signal?: AbortSignal,
  ): Promise<{ status: number; text: string }> {
    const ended = new AbortController();
    const abort = (): void => ended.abort();
    const deadline = setTimeout(abort, deadlineMs);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const token = encodeURIComponent(this.token).replace('%3A', ':');
    try {
      const { statusCode, body: answer } = await request(`${this.#root}/bot${token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: this.#agent,
        signal: ended.signal,
      });
      return { status: statusCode, text: await answer.text() };
    } catch (error) {
      if (error instanceof ConnectFailure)
        throw new TransportError(`cannot connect to ${this.host}: ${error.reason}`, false);
      const timedOut = ended.signal.aborted && !signal?.aborted;
      const reason = timedOut ? `no answer within ${deadlineMs} ms` : `the connection broke (${reasonOf(error)})`;
      throw new TransportError(`${this.host}: ${reason}`, true);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
  }

  #withoutToken(text: string): string {
    return this.token === '' ? text : text.replaceAll(this.token, '[token]');
  }
}

/** A connector whose errors can be told from those of an established connection. */
function connector(): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) =>
      error ? callback(new ConnectFailure(reasonOf(error)), null) : callback(null, socket),
    );
}

type Answer = { ok: true; result: unknown } | ApiError;

/** Undefined when it is not an answer in the Bot API's form: https://core.telegram.org/bots/api#making-requests */
function parse(text: string, status: number): Answer | undefined {
  let answer: { ok?: unknown; result?: unknown } & Partial<Omit<ApiError, 'ok'>>;
  try {
    answer = (JSON.parse(text) ?? {}) as typeof answer;
  } catch {
    return undefined;
  }
  if (answer.ok === true) return { ok: true, result: answer.result };
  if (answer.ok !== false) return undefined;
  const { error_code = status, description = 'no description', parameters } = answer;
  return { ok: false, error_code, description, parameters };
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
