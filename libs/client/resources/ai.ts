import { AnswerStream } from '../transport/answer-stream';
import type { IdempotentOptions, RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { AiStatus, GeneratedAnswer, AiPreviewParams, AiGenerateParams } from '../types';

export class Ai {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Generates an answer without sending it. */
  generate(question: AiGenerateParams, options?: IdempotentOptions): GatewayPromise<GeneratedAnswer> {
    return this.transport.callOnce('/api/v1/ai/generate', { body: question }, options);
  }

  /**
   * Streams an answer while the AI generates it. It has no Idempotency-Key unless you give one: under a key, the gateway
   * finishes the answer, and pays for it, even if you stop reading.
   */
  stream(question: AiGenerateParams, options?: IdempotentOptions): AnswerStream {
    return new AnswerStream(() => this.transport.stream('/api/v1/ai/generate', { body: question }, options));
  }

  getStatus(options?: RequestOptions): GatewayPromise<AiStatus> {
    return this.transport.call('get', '/api/v1/ai/status', {}, options);
  }

  /** Answers a message of a conversation with other settings. It is billed; nothing is sent. */
  preview(preview: AiPreviewParams, options?: RequestOptions): GatewayPromise<GeneratedAnswer> {
    return this.transport.call('post', '/api/v1/ai/preview', { body: preview }, options);
  }
}
