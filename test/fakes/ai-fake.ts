import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { HttpFake, type RecordedRequest } from './http-fake';

/** Ends a stream after `afterDeltas` deltas: with an error in it, or a closed socket. */
export interface Interruption {
  afterDeltas: number;
  /** Without it, the socket closes. */
  error?: Record<string, unknown>;
}

/** A provider of AI answers. Each answer is the script's. */
export abstract class AiFake<Request, Reply> extends HttpFake<Request> {
  /** After a change, the fake refuses the old key with 401. */
  apiKey: string;
  /** The names that the fake lists; undefined: no such endpoint, as on some compatible servers. */
  models: readonly string[] | undefined;
  /** Pause before each delta of a stream, in ms. */
  streamPauseMs = 0;
  protected script: (request: Request) => string | Reply | Promise<string | Reply>;
  #inFlight = 0;
  #received = 0;
  #held: PromiseWithResolvers<void> | undefined;
  #interruption: Interruption | undefined;
  readonly #operation: string;

  /** @param operation the name of the requests for answers @param textOf the text that the fake echoes by default */
  constructor(operation: string, apiKey: string, textOf: (request: Request) => string) {
    super();
    this.#operation = operation;
    this.apiKey = apiKey;
    this.script = (request) => `You said: ${textOf(request)}`;
  }

  /** Sets the script of all following answers. By default the fake echoes the last user text: `You said: …`. */
  replyWith(script: typeof this.script): void {
    this.script = script;
  }

  /** Accepted requests without an answer yet. A request whose client disconnects no longer counts. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Holds answers back until {@link release}. Meanwhile the fake records and checks requests, and counts them as in flight. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** The next stream ends early: with an error after a 200, or with a closed socket. */
  interruptStream(afterDeltas: number, errorStatus?: number): void {
    this.#interruption = { afterDeltas, ...(errorStatus && { error: this.streamError(errorStatus) }) };
  }

  /** Resolves once the fake has received `count` requests for answers, including refused and faulted ones. */
  async waitForRequests(count: number, timeoutMs?: number): Promise<RecordedRequest<Request>[]> {
    const enough = () => this.#received >= count;
    await this.waitUntil(enough, () => `${this.#received} of ${count} requests came in`, timeoutMs);
    return this.requestsOf(this.#operation);
  }

  /** Resolves once exactly `count` requests are in flight. */
  waitForInFlight(count: number, timeoutMs?: number): Promise<void> {
    const exactly = () => this.#inFlight === count;
    return this.waitUntil(exactly, () => `${this.#inFlight} requests are in flight, not ${count}`, timeoutMs);
  }

  protected override recorded({ operation }: RecordedRequest<Request>): void {
    if (operation === this.#operation) this.#received += 1;
  }

  /** The error that a stream contains. */
  protected abstract streamError(status: number): Record<string, unknown>;

  /** Counts a request as in flight until its signal aborts, and waits while answers are held. */
  protected async admit(signal: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#inFlight += 1;
    signal.addEventListener('abort', () => {
      this.#inFlight -= 1;
      over.resolve();
      this.changed();
    });
    this.changed();
    await Promise.race([this.#held?.promise, over.promise]);
  }

  /** The interruption of the next stream, which is the last to have it. */
  protected takeInterruption(): Interruption | undefined {
    const interruption = this.#interruption;
    this.#interruption = undefined;
    return interruption;
  }
}

/** Node writes the first chunks of a response to the socket on the next tick. An earlier close would lose them. */
export async function closeAfterFlush(response: ServerResponse): Promise<void> {
  await setImmediate();
  await setImmediate();
  response.destroy();
}
