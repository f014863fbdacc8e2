import { AnswerStream } from '../transport/answer-stream';
import type { IdempotentOptions, RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  AiGenerateParams,
  AiPreviewParams,
  AiProvider,
  AiProviderModel,
  AiProviderName,
  AiProviderSetParams,
  AiStatus,
  DeletedAiProvider,
  GeneratedAnswer,
} from '../types';

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

  listProviders(options?: RequestOptions): GatewayPromise<AiProvider[]> {
    return this.transport.call('get', '/api/v1/ai/providers', {}, options);
  }

  /** Replaces the key and the base URL together. */
  setProvider(name: AiProviderName, access: AiProviderSetParams, options?: RequestOptions): GatewayPromise<AiProvider> {
    return this.transport.call('put', '/api/v1/ai/providers/{name}', { path: { name }, body: access }, options);
  }

  /** Those of the gateway's environment are used again. */
  deleteProvider(name: AiProviderName, options?: RequestOptions): GatewayPromise<DeletedAiProvider> {
    return this.transport.call('delete', '/api/v1/ai/providers/{name}', { path: { name } }, options);
  }

  /** Asks the provider for its models. */
  listModels(name: AiProviderName, options?: RequestOptions): GatewayPromise<AiProviderModel[]> {
    return this.transport.call('get', '/api/v1/ai/providers/{name}/models', { path: { name } }, options);
  }

  /** Answers a message of a conversation with other settings. It is billed; nothing is sent. */
  preview(preview: AiPreviewParams, options?: RequestOptions): GatewayPromise<GeneratedAnswer> {
    return this.transport.call('post', '/api/v1/ai/preview', { body: preview }, options);
  }
}
