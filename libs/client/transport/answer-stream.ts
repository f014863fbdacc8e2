import { GatewayConnectionError, GatewayError } from '../errors';
import type { GatewayResponse } from '../response';
import type { GeneratedAnswer } from '../types';
import { serverSentEvents } from './server-sent-events';
import type { OpenAnswer } from './transport';

/** An answer of the AI while it is generated. Iterate over it for its text; only then does it send the request. */
export class AnswerStream implements AsyncIterable<string> {
  private readonly outcome: Promise<GeneratedAnswer>;
  private resolve!: (answer: GeneratedAnswer) => void;
  private reject!: (reason: unknown) => void;
  private isRead = false;
  private begun: GatewayResponse | undefined;

  /**
   * @param open sends the request
   * @internal
   */
  constructor(private readonly open: () => Promise<OpenAnswer>) {
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The iteration already throws this error.
    this.outcome.catch(() => undefined);
  }

  /** The request id and rate limit; undefined until the answer begins. */
  get response(): GatewayResponse | undefined {
    return this.begun;
  }

  /**
   * Resolves with the whole answer when it ends. Works with and without iterating.
   * @throws the error of iterating; an AbortError if the iteration stopped early
   */
  async result(): Promise<GeneratedAnswer> {
    if (!this.isRead) {
      const pieces = this[Symbol.asyncIterator]();
      while (!(await pieces.next()).done) continue;
    }
    return this.outcome;
  }

  /** Iterates once. Leaving the loop before the end aborts the request. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    if (this.isRead) throw new TypeError('A stream can be read only once: result() has the whole text');
    this.isRead = true;
    try {
      const { response, pieces } = await this.open();
      this.begun = response;
      for await (const { event, data } of serverSentEvents(pieces)) {
        const body = JSON.parse(data) as { text: string; data: GeneratedAnswer };
        if (event === 'delta') yield body.text;
        if (event === 'error') throw GatewayError.inStream(body);
        if (event === 'result') return this.resolve(body.data);
      }
      throw new GatewayConnectionError('The stream ended before its result');
    } catch (error) {
      this.reject(error);
      throw error;
    } finally {
      this.reject(new DOMException('The stream was closed before its result', 'AbortError'));
    }
  }
}
