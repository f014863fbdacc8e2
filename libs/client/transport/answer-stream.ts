import { GatewayConnectionError, GatewayError } from '../errors';
import type { GeneratedAnswer } from '../types';

/** An answer of the AI while it is being made. Iterate over it for its text; nothing is asked for before. */
export class AnswerStream implements AsyncIterable<string> {
  private readonly outcome: Promise<GeneratedAnswer>;
  private resolve!: (answer: GeneratedAnswer) => void;
  private reject!: (reason: unknown) => void;
  private isRead = false;

  /**
   * @param chunks the answer as it comes in
   * @internal
   */
  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever iterates is told there already.
    this.outcome.catch(() => undefined);
  }

  /**
   * The whole answer: at its end when it is being iterated over, and without iterating, too.
   * @throws what iterating throws; an AbortError after it was left
   */
  async result(): Promise<GeneratedAnswer> {
    if (!this.isRead) {
      const pieces = this[Symbol.asyncIterator]();
      while (!(await pieces.next()).done) continue;
    }
    return this.outcome;
  }

  /** Once. To leave it before the end gives up the request. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    if (this.isRead) throw new TypeError('A stream is read once: the whole text is in result()');
    this.isRead = true;
    try {
      for await (const { event, data } of events(this.chunks)) {
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
      this.reject(new DOMException('The stream was left before its result', 'AbortError'));
    }
  }
}

async function* events(chunks: AsyncIterable<Uint8Array>) {
  // An ES module: loaded when it is wanted, as CommonJS can in any version of Node.
  const { createParser } = await import('eventsource-parser');
  const parsed: { event?: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: (event) => void parsed.push(event) });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* parsed.splice(0);
  }
}
