import { type Telegram, TelegramError } from 'telegraf';
import type { ApiError } from 'telegraf/types';
import {
  type HttpAnswer,
  type HttpCall,
  type CallLimits,
  foreignAnswer,
  type FormFile,
  HttpClient,
  multipart,
  retryAfterOf,
  type Upload,
} from '#http-client';
import type { RateLimitNotice } from '../platform.port';

type Method = Parameters<Telegram['callApi']>[0];
export type Payload<M extends Method> = Parameters<typeof Telegram.prototype.callApi<M>>[1];
type Result<M extends Method> = Awaited<ReturnType<typeof Telegram.prototype.callApi<M>>>;

/**
 * Calls the Bot API with Telegraf's types and errors over a transport of our own, because Telegraf's client (node-fetch 2)
 * cannot tell what a gateway must know: it does not say whether a request was written before the connection failed, throws
 * away the body of every 5xx (which distinguishes Telegram's own refusal from a proxy's), and puts the URL with the token
 * into the message of an error about a body that is not JSON. Errors thrown here never contain the token.
 */
export class BotApi {
  /** Called for every 429. */
  onRateLimit: (notice: RateLimitNotice) => void = () => undefined;
  readonly http = new HttpClient();
  readonly #root: string;

  constructor(
    private readonly token: string,
    apiRoot: string,
  ) {
    this.#root = apiRoot.replace(/(?<!\/)\/+$/, '');
  }

  /** The host of the API, for messages of errors. */
  get host(): string {
    return new URL(this.#root).host;
  }

  /**
   * Calls a method. Rejects with a TelegramError when Telegram refused, with a TransportError when no answer of
   * Telegram's came.
   */
  async call<M extends Method>(method: M, payload: Payload<M>, limits: CallLimits): Promise<Result<M>> {
    return (await this.#post(method, payload, limits)) as Result<M>;
  }

  /** Calls a method with files, as {@link call} does; without files it sends JSON. */
  async upload(
    method: string,
    fields: Readonly<Record<string, unknown>>,
    files: readonly FormFile[],
    limits: CallLimits,
  ): Promise<unknown> {
    if (files.length === 0) return this.#post(method, fields, limits);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const texts = given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    return this.#post(method, multipart(Object.fromEntries(texts) as Record<string, string>, files), limits);
  }

  async #post(method: string, content: object, limits: CallLimits): Promise<unknown> {
    const url = `${this.#root}/bot${this.#pathToken}/${method}`;
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
    const sent: Pick<HttpCall, 'headers' | 'body'> = isUpload(content) ? { body: content } : json;
    const answered = await this.http.exchange({ method: 'POST', url, ...sent, ...limits });
    const answer = parse(answered) ?? throttled(answered);
    if (!answer) throw foreignAnswer(this.host, answered.status, 'Bot API');
    if (answer.ok) return answer.result;
    if (answer.error_code === 429) this.onRateLimit({ call: method });
    // Telegraf would attach the payload, and with it texts and the webhook's secret, to the error: leave it out.
    throw new TelegramError({ ...answer, description: this.#withoutToken(answer.description) });
  }

  /** Where a file is downloaded. Contains the token. @param path `file_path` of an answer of getFile */
  fileUrl(path: string): string {
    return `${this.#root}/file/bot${this.#pathToken}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Closes every connection; calls in progress fail. */
  async close(): Promise<void> {
    await this.http.close();
  }

  get #pathToken(): string {
    return encodeURIComponent(this.token).replace('%3A', ':');
  }

  #withoutToken(text: string): string {
    return this.token === '' ? text : text.replaceAll(this.token, '[token]');
  }
}

function isUpload(content: object): content is Upload {
  return 'open' in content;
}

type Answer = { ok: true; result: unknown } | ApiError;

/** Undefined when it is not an answer in the Bot API's form: https://core.telegram.org/bots/api#making-requests */
function parse({ text, status, headers }: HttpAnswer): Answer | undefined {
  let answer: { ok?: unknown; result?: unknown } & Partial<Omit<ApiError, 'ok'>>;
  try {
    answer = (JSON.parse(text) ?? {}) as typeof answer;
  } catch {
    return undefined;
  }
  if (answer.ok === true) return { ok: true, result: answer.result };
  if (answer.ok !== false) return undefined;
  const { error_code = status, description = 'no description', parameters } = answer;
  return {
    ok: false,
    error_code,
    description,
    parameters: error_code === 429 ? paused(headers, parameters) : parameters,
  };
}

/** A server that says 429, Telegram or a proxy before it, has not acted on the call and will take it later. */
function throttled({ status, headers }: HttpAnswer): Answer | undefined {
  if (status !== 429) return undefined;
  return { ok: false, error_code: 429, description: 'Too Many Requests', parameters: paused(headers) };
}

/** Adds the pause of the header if the answer names none. */
function paused(headers: HttpAnswer['headers'], parameters?: ApiError['parameters']): ApiError['parameters'] {
  if (Number(parameters?.retry_after) > 0) return parameters;
  const ms = retryAfterOf(headers);
  return ms === undefined ? parameters : { ...parameters, retry_after: ms / 1_000 };
}
