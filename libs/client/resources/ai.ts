import { AnswerStream } from '../transport/answer-stream';
import type { IdempotentOptions, RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { AiStatus, GeneratedAnswer, Question } from '../types';

export class Ai {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** An answer that is sent to nobody. */
  generate(question: Question, options?: IdempotentOptions): Promise<GeneratedAnswer> {
    return this.transport.callOnce('/api/v1/ai/generate', { body: question }, options);
  }

  /**
   * The same while it is being made. It goes without an Idempotency-Key unless you give one: under a key, the gateway
   * finishes the answer, and pays for it, also when nobody reads any more.
   */
  stream(question: Question, options?: IdempotentOptions): AnswerStream {
    return new AnswerStream(this.transport.stream('/api/v1/ai/generate', { body: question }, options));
  }

  status(options?: RequestOptions): Promise<AiStatus> {
    return this.transport.call('get', '/api/v1/ai/status', {}, options);
  }
}
