import {
  type HttpAnswer,
  type CallLimits,
  foreignAnswer,
  type FormFile,
  HttpClient,
  multipart,
  retryAfterOf,
  type Upload,
} from '#http-client';
import type { RateLimitNotice } from '../platform.port';
import { meaningOf } from './error-codes';
import { type ErrorObject, GraphError, wordsOf } from './graph-error';
import type { WhatsAppAccount } from './whatsapp.options';

/** The Graph API as one business phone number uses it. */
export class GraphApi {
  /** Called for every answer that names a rate limit. */
  onRateLimit: (notice: RateLimitNotice) => void = () => undefined;
  readonly http = new HttpClient();
  readonly #root: string;
  readonly #phoneUrl: string;
  readonly #token: string;

  constructor({ accessToken, phoneNumberId }: Pick<WhatsAppAccount, 'accessToken' | 'phoneNumberId'>, apiUrl: string) {
    this.#token = accessToken;
    this.#root = apiUrl.replace(/(?<!\/)\/+$/, '');
    this.#phoneUrl = `${this.#root}/${phoneNumberId}`;
  }

  /** Fields of the phone number. Rejects as {@link messages} does. */
  fields(names: readonly string[], limits: CallLimits): Promise<Record<string, unknown>> {
    return this.#call('GET', `${this.#phoneUrl}?fields=${names.join(',')}`, undefined, limits);
  }

  /** Reads any other object of the graph (`debug_token`), with another token if one is given. Rejects as {@link messages} does. */
  get(
    path: string,
    query: Record<string, string>,
    limits: CallLimits,
    token?: string,
  ): Promise<Record<string, unknown>> {
    const parameters = new URLSearchParams(query).toString();
    return this.#call('GET', `${this.#root}/${path}${parameters && `?${parameters}`}`, undefined, limits, token);
  }

  /** Headers that a download from the Graph API needs. */
  get authorization(): { authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }

  /**
   * Posts to the phone number's messages: a message, or the mark that one was read.
   * Rejects with a GraphError when WhatsApp refused, with a TransportError when no answer of WhatsApp's came.
   */
  messages(body: object, limits: CallLimits): Promise<Record<string, unknown>> {
    return this.#call('POST', `${this.#phoneUrl}/messages`, JSON.stringify(body), limits);
  }

  /** Uploads a file for messages of the phone number. Rejects as {@link messages} does. */
  upload(fields: Record<string, string>, file: FormFile, limits: CallLimits): Promise<Record<string, unknown>> {
    return this.#call('POST', `${this.#phoneUrl}/media`, multipart(fields, [file]), limits);
  }

  /** Closes every connection; calls in progress fail. */
  async close(): Promise<void> {
    await this.http.close();
  }

  async #call(
    method: 'GET' | 'POST',
    url: string,
    body: string | Upload | undefined,
    limits: CallLimits,
    token = this.#token,
  ): Promise<Record<string, unknown>> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    };
    const answer = await this.http.exchange({ method, url, headers, body, ...limits });
    const content = parse(answer.text);
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (content && isSuccess) return content;
    const error = errorOf(content, answer.status);
    if (error) {
      const refusal = this.#refusal(answer, error);
      const { failure } = meaningOf(refusal.code, refusal.status);
      if (failure === 'rate_limited') this.onRateLimit({ call: callOf(method, url) });
      throw refusal;
    }
    throw foreignAnswer(new URL(url).host, answer.status, 'Graph API');
  }

  #refusal({ status, headers }: HttpAnswer, error: ErrorObject): GraphError {
    const code = typeof error.code === 'number' ? error.code : status;
    const subcode = typeof error.error_subcode === 'number' ? error.error_subcode : undefined;
    // Some of its messages repeat what was sent: a token in the wrong place must not reach a log.
    const words = wordsOf(error).replaceAll(this.#token, '[token]');
    return new GraphError(status, code, subcode, words, retryAfterOf(headers));
  }
}

function callOf(method: string, url: string): string {
  if (method !== 'POST') return 'phone_number';
  return url.endsWith('/media') ? 'media' : 'messages';
}

/** A server that says 429, WhatsApp or a proxy before it, has not acted on the call: that is a refusal in any form. */
function errorOf(content: Record<string, unknown> | undefined, status: number): ErrorObject | undefined {
  const error = content?.['error'];
  if (typeof error === 'object' && error !== null) return error;
  return status === 429 ? { message: 'Too Many Requests' } : undefined;
}

/** Undefined when it is not a JSON object, as every answer of the Graph API is. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
