import { openFile, openStream, piecesOf, readEnvelope, type Envelope, type OpenStream } from './answer';
import { Deadline } from './deadline';
import { callHook, type GatewayHooks, type GatewayRequest } from '../hooks';
import { List, type ListTraits, type PageAnswer } from '../list';
import { newIdempotencyKey } from './idempotency-key';
import type { AnswerAt, DataAt, InputAt, ItemAt, MetaAt, Method, PathOf } from './operation';
import type { Fetch, GatewayOptions, IdempotentOptions, RequestOptions } from '../options';
import { pause } from './pause';
import { prepare, type PreparedRequest, type Traits } from './request';
import { gatewayPromise, responseOf, type GatewayPromise, type GatewayResponse } from '../response';
import { retryDelay } from './retry-policy';
import { USER_AGENT } from './user-agent';

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 100_000;

/** An answer whose body is read piece by piece. */
export interface OpenAnswer {
  response: GatewayResponse;
  pieces: AsyncGenerator<Uint8Array, void, undefined>;
}

/** Makes requests: it adds the key, sets the timeout, and retries if that is safe. */
export class Transport {
  // A `#` field, so that no log of a client shows the key.
  readonly #apiKey: string;
  readonly #fetch: Fetch;
  private readonly baseUrl: string;
  private readonly maxRetries: number;
  private readonly timeout: number;
  private readonly hooks: GatewayHooks;

  constructor({ apiKey, baseUrl, maxRetries, timeout, fetch, onRequest, onResponse }: GatewayOptions) {
    // `fetch` would refuse other characters with an error that shows the key, and send `undefined` as text.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError('apiKey must be an API key of the gateway');
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
      throw new TypeError('baseUrl must be an https: or http: URL');
    this.#apiKey = apiKey;
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.baseUrl = baseUrl.replace(/(?<!\/)\/+$/, '');
    this.maxRetries = maxRetries ?? DEFAULT_RETRIES;
    this.timeout = timeout ?? DEFAULT_TIMEOUT_MS;
    this.hooks = { onRequest, onResponse };
  }

  /** @returns `data` of the envelope */
  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputAt<M, P>,
    options: RequestOptions = {},
    traits: Traits = {},
  ): GatewayPromise<DataAt<M, P>> {
    const answer = this.envelope(method, path, input, options, traits);
    return gatewayPromise(answer.then(({ data, response }) => ({ data: data as DataAt<M, P>, response })));
  }

  /** As {@link call} of a `get`, but builds the result from the whole envelope. */
  read<P extends PathOf<'get'>, T>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions | undefined,
    resultOf: (answer: AnswerAt<P>) => T,
  ): GatewayPromise<T> {
    const answer = this.envelope('get', path, input, options);
    return gatewayPromise(
      answer.then(({ response, ...envelope }) => ({ data: resultOf(envelope as AnswerAt<P>), response })),
    );
  }

  /** As {@link call}, under an Idempotency-Key: the gateway does a repeated request once. */
  callOnce<P extends PathOf<'post'>>(
    path: P,
    input: InputAt<'post', P>,
    { idempotencyKey = newIdempotencyKey(), ...options }: IdempotentOptions = {},
  ): GatewayPromise<DataAt<'post', P>> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.call('post', path, input, options, { repeatable: true, headers });
  }

  /** A list in pages. */
  list<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions = {},
    traits: ListTraits = {},
  ): List<ItemAt<P>, MetaAt<P>> {
    const read = async (query: object) => {
      const answer: unknown = await this.envelope('get', path, { ...input, query }, options);
      return answer as PageAnswer<ItemAt<P>, MetaAt<P>>;
    };
    return new List(read, input.query ?? {}, traits);
  }

  /** Begins a streamed answer. The request ends when the caller stops reading it. */
  async stream<P extends PathOf<'post'>>(
    path: P,
    input: InputAt<'post', P>,
    { idempotencyKey, ...options }: IdempotentOptions = {},
  ): Promise<OpenAnswer> {
    const accept = { accept: 'text/event-stream' };
    const headers = idempotencyKey === undefined ? accept : { ...accept, 'idempotency-key': idempotencyKey };
    // Safe to retry: at worst, the operator pays for the text twice.
    return this.open(prepare(this.baseUrl, 'post', path, input, { repeatable: true, headers }), options, openStream);
  }

  /**
   * Opens a stream of events.
   * @param lastEventId the event after which it resumes
   */
  async connect<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions,
    lastEventId: string | undefined,
  ): Promise<OpenAnswer> {
    const accept = { accept: 'text/event-stream' };
    const headers = lastEventId === undefined ? accept : { ...accept, 'last-event-id': lastEventId };
    return this.open(prepare(this.baseUrl, 'get', path, input, { headers }), options, openStream);
  }

  /** Opens the bytes of a file. */
  async file<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<OpenAnswer> {
    const request = prepare(this.baseUrl, 'get', path, input, { headers: { accept: '*/*', ...headers } });
    return this.open(request, options, openFile);
  }

  private async envelope(
    method: Method,
    path: string,
    input: object,
    options: RequestOptions = {},
    traits: Traits = {},
  ): Promise<Envelope & { response: GatewayResponse }> {
    const request = prepare(this.baseUrl, method, path, input, traits);
    const { answer, response } = await this.exchange(request, options, readEnvelope);
    return { ...answer, response };
  }

  private async open(
    request: PreparedRequest,
    options: RequestOptions,
    read: (response: Response, deadline: Deadline) => Promise<OpenStream>,
  ): Promise<OpenAnswer> {
    const { answer, response } = await this.exchange(request, options, read);
    return { response, pieces: piecesOf(answer) };
  }

  /** One request and its retries. */
  private async exchange<T>(
    request: PreparedRequest,
    { signal, maxRetries = this.maxRetries, timeout = this.timeout }: RequestOptions,
    read: (response: Response, deadline: Deadline) => Promise<T>,
  ): Promise<{ answer: T; response: GatewayResponse }> {
    for (let attempt = 1; ; attempt++) {
      const deadline = new Deadline(timeout, signal);
      const end = this.begin(request, attempt);
      let response: GatewayResponse | undefined;
      try {
        const received = await deadline.step(this.send(request, deadline.signal));
        response = responseOf(received);
        const answer = await read(received, deadline);
        end(response);
        return { answer, response };
      } catch (error) {
        deadline.end();
        // The bytes of a stream can be sent only once.
        const isLast = attempt > maxRetries || request.body instanceof ReadableStream;
        const delay = isLast ? undefined : retryDelay(error, request.repeatable, attempt);
        end(response, error, delay);
        if (delay === undefined) throw error;
        await pause(delay, signal);
        signal?.throwIfAborted();
      }
    }
  }

  /** Calls `onRequest` now, and `onResponse` at the end of the attempt. */
  private begin({ method, path, url }: PreparedRequest, attempt: number) {
    const { onRequest, onResponse } = this.hooks;
    const request: GatewayRequest = { method, path, url, attempt };
    const begunAt = performance.now();
    callHook(onRequest, request);
    return (response: GatewayResponse | undefined, error?: unknown, retryInMs?: number): void => {
      const durationMs = performance.now() - begunAt;
      callHook(onResponse, { request, response, error, durationMs, retryInMs });
    };
  }

  private async send({ method, url, headers, body }: PreparedRequest, signal: AbortSignal): Promise<Response> {
    const withKey = new Headers(headers);
    withKey.set('authorization', `Bearer ${this.#apiKey}`);
    if (USER_AGENT) withKey.set('user-agent', USER_AGENT);
    return this.#fetch(url, {
      method,
      headers: withKey,
      body,
      signal,
      // The client sends the key only to the configured address, and must not turn a POST into a GET.
      redirect: 'manual',
      // `fetch` needs `duplex` to send a stream; its type lacks the field.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
  }
}
