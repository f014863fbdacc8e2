import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastingPort } from '../support/lasting-port';
import { writeFaulty } from './faulty-body';
import { type Fault, FaultQueue, type RetryAfter } from './fault-queue';
import { type FormFile, readForm } from './form-body';
import { fakeStarted } from './started-fakes';

/** A request as the server received it, also if the fake failed or refused it. */
export interface RecordedRequest<Body = Record<string, unknown>> {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** The API's name for the call (`sendMessage`, `messages`), which {@link Fault.method} matches. */
  operation: string;
  headers: IncomingHttpHeaders;
  /** JSON or form fields; empty without a body. Any other text is in `raw`. */
  body: Body;
  /** The files of a multipart form. */
  files: FormFile[];
  receivedAt: Date;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
  /** Writes the body itself (server-sent events); `body` is then ignored. */
  stream?: (response: ServerResponse) => Promise<void>;
}

/**
 * A real HTTP server on 127.0.0.1 that plays a third-party API. After {@link stop} and {@link start} it has the same address
 * and state, like an API after an outage.
 */
export abstract class HttpFake<Body = Record<string, unknown>> {
  readonly requests: RecordedRequest<Body>[] = [];
  readonly #faults = new FaultQueue();
  readonly #waiters = new Set<() => void>();
  #server: Server | undefined;
  #port = 0;
  #delays: { ms: number; method?: string }[] = [];
  readonly #holds = new Map<string, Promise<unknown>>();
  #running = new AbortController();

  /** @param wanted the port; by default that of the last start, or a free one. Rejects with EADDRINUSE. */
  async start(wanted = this.#port): Promise<this> {
    if (this.#server) throw new Error(`${this.constructor.name} is already running at ${this.url}`);
    this.#running = new AbortController();
    // Longer than any client keeps an idle socket: if the fake closed one, it would look like a fault.
    const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => void this.#serve(req, res));
    const port = wanted || (await lastingPort());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    this.#port = port;
    this.#server = server;
    fakeStarted(this, () => this.shutDown());
    return this;
  }

  /** Destroys every socket and refuses new connections until {@link start}. Does nothing if not running. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.#running.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Stops the server and all background work. */
  shutDown(): Promise<void> {
    return this.stop();
  }

  /** Destroys every open socket, long polls included, and keeps serving: a short network failure. */
  dropConnections(): void {
    this.#server?.closeAllConnections();
  }

  get url(): string {
    if (this.#port === 0) throw new Error(`${this.constructor.name} was never started`);
    return `http://127.0.0.1:${this.#port}`;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** Queues a fault. A request meets the first queued fault that matches it. */
  fail(fault: Fault): void {
    this.#faults.add(fault);
  }

  /** Removes all faults. Requests that already hang stay without an answer, as after a real outage. */
  clearFaults(): void {
    this.#faults.clear();
  }

  /** Delays every request (of one `method`) by `ms` before it takes effect, until `delay(0)`. */
  delay(ms: number, method?: string): void {
    this.#delays = this.#delays.filter((delay) => delay.method !== method);
    if (ms > 0) this.#delays.push({ ms, method });
  }

  /** Delays every request of one `method` before it takes effect, until a promise resolves. */
  holdBack(until: Promise<unknown>, method: string): void {
    this.#holds.set(method, until);
  }

  requestsOf(operation: string): RecordedRequest<Body>[] {
    return this.requests.filter((request) => request.operation === operation);
  }

  /**
   * Resolves as soon as `fact` is true; checked at each change of the fake's state, without polling.
   * Rejects after `timeoutMs` with `describe()`, which should tell the actual state.
   */
  waitUntil(fact: () => boolean, describe: () => string, timeoutMs = 10_000): Promise<void> {
    if (fact()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!fact()) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(look);
        reject(new Error(`after ${timeoutMs} ms: ${describe()}`));
      }, timeoutMs);
      this.#waiters.add(look);
    });
  }

  protected changed(): void {
    for (const look of this.#waiters) look();
  }

  /** Aborted by {@link stop}; a new one for every start. */
  protected get running(): AbortSignal {
    return this.#running.signal;
  }

  /** Called with each request when it arrives, before any fault or delay. */
  protected recorded(_request: RecordedRequest<Body>): void {}

  protected abstract operationOf(path: string): string;
  /** @param signal aborts when the exchange ends: answered, client disconnected or server stopped */
  protected abstract handle(request: RecordedRequest<Body>, signal: AbortSignal): Answer | Promise<Answer>;
  /** The API's own answer for an error status, so that a fault need only name the status. */
  protected abstract errorAnswer(status: number, retryAfter?: RetryAfter): Answer;

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    try {
      const request = await this.#record(req);
      const fault = this.#faults.take(request.operation);
      this.changed();
      const delay = this.#delays.find(({ method }) => method === undefined || method === request.operation);
      if (delay) await sleep(delay.ms, undefined, { signal: this.running });
      await this.#holds.get(request.operation);
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'drop_before') return void res.destroy();
      if (fault?.kind === 'reset') return void req.socket.resetAndDestroy();
      if (fault?.kind === 'response') return await send(res, this.#faultAnswer(fault));

      const answer = await this.handle(request, gone.signal);
      if (fault?.kind === 'hang_after') return;
      if (fault?.kind === 'drop_after') return void res.destroy();
      if (fault?.kind === 'lie')
        return await send(res, { ...answer, headers: { ...answer.headers, ...fault.headers } });
      if (fault) return await writeFaulty(res, fault.kind, answer.status, bytesOf(answer), gone.signal);
      await send(res, answer);
    } catch (error) {
      if (gone.signal.aborted || this.running.aborted) return;
      // A bug in the fake: answer with it, so that the test does not hang.
      await send(res, { status: 500, body: `${this.constructor.name}: ${(error as Error).stack}` });
    }
  }

  #faultAnswer(fault: Fault): Answer {
    const usual = this.errorAnswer(fault.status ?? 500, fault.retryAfter);
    return {
      status: usual.status,
      headers: { ...usual.headers, ...fault.headers },
      body: fault.body === undefined ? usual.body : fault.body,
    };
  }

  async #record(req: IncomingMessage): Promise<RecordedRequest<Body>> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://fake');
    const bytes = Buffer.concat(chunks);
    const type = req.headers['content-type'] ?? '';
    const { fields, files } = type.includes('multipart/form-data')
      ? await readForm(bytes, type)
      : { fields: parseBody(bytes.toString('utf8'), type), files: [] };
    const request: RecordedRequest<Body> = {
      method: req.method ?? 'GET',
      path: pathname,
      query: searchParams,
      operation: this.operationOf(pathname),
      headers: req.headers,
      // Not validated here: `handle` checks what the client sent.
      body: fields as Body,
      files,
      receivedAt: new Date(),
    };
    this.requests.push(request);
    this.recorded(request);
    return request;
  }
}

function parseBody(text: string, contentType: string): unknown {
  if (text === '') return {};
  if (contentType.includes('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { raw: text };
  }
}

async function send(res: ServerResponse, answer: Answer): Promise<void> {
  if (res.destroyed) return;
  const { stream, status, headers } = answer;
  if (stream) {
    res.writeHead(status, headers);
    await stream(res);
    return void res.end();
  }
  const body = bytesOf(answer);
  res.writeHead(status, { 'content-type': typeOf(answer), 'content-length': String(body.length), ...headers });
  res.end(body);
}

function bytesOf({ body = {} }: Answer): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function typeOf({ body }: Answer): string {
  if (Buffer.isBuffer(body)) return 'application/octet-stream';
  return typeof body === 'string' ? 'text/plain' : 'application/json';
}
