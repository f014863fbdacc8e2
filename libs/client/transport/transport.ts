import { openFile, openStream, piecesOf, readEnvelope } from './answer';
import { Deadline } from './deadline';
import { List, type ListTraits, type PageAnswer } from '../list';
import { newIdempotencyKey } from './idempotency-key';
import type { AnswerAt, DataAt, InputAt, ItemAt, MetaAt, Method, PathOf } from './operation';
import type { Fetch, GatewayOptions, IdempotentOptions, RequestOptions } from '../options';
import { pause } from './pause';
import { prepare, type PreparedRequest, type Traits } from './request';
import { retryDelay } from './retry-policy';

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 100_000;

/** Makes requests: it adds the key, sets the timeout, and retries if that is safe. */
export class Transport {
  // A `#` field, so that no log of a client shows the key.
  readonly #apiKey: string;
  readonly #fetch: Fetch;
  private readonly baseUrl: string;
  private readonly maxRetries: number;
  private readonly timeout: number;

  constructor({ apiKey, baseUrl, maxRetries, timeout, fetch }: GatewayOptions) {
    // `fetch` would refuse other characters with an error that shows the key; `undefined` would become a text.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
      throw new TypeError('apiKey must be an API key of the gateway');
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
      throw new TypeError('baseUrl must be an https: or http: URL');
    this.#apiKey = apiKey;
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.maxRetries = maxRetries ?? DEFAULT_RETRIES;
    this.timeout = timeout ?? DEFAULT_TIMEOUT_MS;
  }

  /** @returns `data` of the envelope */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputAt<M, P>,
    options: RequestOptions = {},
    traits: Traits = {},
  ): Promise<DataAt<M, P>> {
    const request = prepare(this.baseUrl, method, path, input, traits);
    const { data } = await this.exchange(request, options, readEnvelope);
    return data as DataAt<M, P>;
  }

  /** As {@link call} of a `get`, with the `meta` of the envelope. */
  async read<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions = {},
  ): Promise<AnswerAt<P>> {
    const answer: unknown = await this.exchange(prepare(this.baseUrl, 'get', path, input, {}), options, readEnvelope);
    return answer as AnswerAt<P>;
  }

  /** As {@link call}, under an Idempotency-Key: the gateway does a repeated request once. */
  callOnce<P extends PathOf<'post'>>(
    path: P,
    input: InputAt<'post', P>,
    { idempotencyKey = newIdempotencyKey(), ...options }: IdempotentOptions = {},
  ): Promise<DataAt<'post', P>> {
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
      const request = prepare(this.baseUrl, 'get', path, { ...input, query }, {});
      const answer: unknown = await this.exchange(request, options, readEnvelope);
      return answer as PageAnswer<ItemAt<P>, MetaAt<P>>;
    };
    return new List(read, input.query ?? {}, traits);
  }

  /** A streamed answer, piece by piece. The request ends when the caller stops reading. */
  async *stream<P extends PathOf<'post'>>(
    path: P,
    input: InputAt<'post', P>,
    { idempotencyKey, ...options }: IdempotentOptions = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const accept = { accept: 'text/event-stream' };
    const headers = idempotencyKey === undefined ? accept : { ...accept, 'idempotency-key': idempotencyKey };
    // Its only result is text: at worst, the operator pays for it twice.
    const request = prepare(this.baseUrl, 'post', path, input, { repeatable: true, headers });
    yield* piecesOf(await this.exchange(request, options, openStream));
  }

  /**
   * Opens a stream of events.
   * @param lastEventId the event after which it resumes
   * @returns the newest event at its begin, if there was one, and the body as it arrives
   */
  async connect<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions,
    lastEventId: string | undefined,
  ): Promise<{ newestId: string | undefined; pieces: AsyncIterable<Uint8Array> }> {
    const accept = { accept: 'text/event-stream' };
    const headers = lastEventId === undefined ? accept : { ...accept, 'last-event-id': lastEventId };
    const request = prepare(this.baseUrl, 'get', path, input, { headers });
    const stream = await this.exchange(request, options, openStream);
    return { newestId: stream.headers.get('last-event-id') ?? undefined, pieces: piecesOf(stream) };
  }

  /** Opens the bytes of a file, which are read piece by piece. */
  async open<P extends PathOf<'get'>>(
    path: P,
    input: InputAt<'get', P>,
    options: RequestOptions = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; headers: Headers; pieces: AsyncGenerator<Uint8Array, void, undefined> }> {
    const request = prepare(this.baseUrl, 'get', path, input, { headers: { accept: '*/*', ...headers } });
    const file = await this.exchange(request, options, openFile);
    return { status: file.status, headers: file.headers, pieces: piecesOf(file) };
  }

  /** One request and its retries. */
  private async exchange<T>(
    request: PreparedRequest,
    { signal, maxRetries = this.maxRetries, timeout = this.timeout }: RequestOptions,
    read: (response: Response, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const deadline = new Deadline(timeout, signal);
      try {
        return await read(await deadline.step(this.send(request, deadline.signal)), deadline);
      } catch (error) {
        deadline.end();
        const delay = attempt > maxRetries ? undefined : retryDelay(error, request.repeatable, attempt);
        if (delay === undefined) throw error;
        await pause(delay, signal);
        signal?.throwIfAborted();
      }
    }
  }

  private async send({ method, url, headers, body }: PreparedRequest, signal: AbortSignal): Promise<Response> {
    const withKey = new Headers(headers);
    withKey.set('authorization', `Bearer ${this.#apiKey}`);
    return this.#fetch(url, {
      method,
      headers: withKey,
      body,
      signal,
      // The client sends the key only to the configured address, and must not turn a POST into a GET.
      redirect: 'manual',
      // `fetch` sends a stream only so; its type has no such field.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
  }
}
