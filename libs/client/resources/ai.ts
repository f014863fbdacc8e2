import type { List } from '../list';
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
  CreatedTool,
  DeletedAiProvider,
  DeletedTool,
  GeneratedAnswer,
  TestedTool,
  Tool,
  ToolCall,
  ToolCallListParams,
  ToolCreateParams,
  ToolListParams,
  ToolTestParams,
  ToolUpdateParams,
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

export class Tools {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Without a `secret`, the gateway creates one; only this answer contains it. */
  create(tool: ToolCreateParams, options?: RequestOptions): GatewayPromise<CreatedTool> {
    return this.transport.call('post', '/api/v1/tools', { body: tool }, options);
  }

  list(query?: ToolListParams, options?: RequestOptions): List<Tool> {
    return this.transport.list('/api/v1/tools', { query }, options);
  }

  get(toolId: string, options?: RequestOptions): GatewayPromise<Tool> {
    return this.transport.call('get', '/api/v1/tools/{tool_id}', { path: { tool_id: toolId } }, options);
  }

  update(toolId: string, change: ToolUpdateParams, options?: RequestOptions): GatewayPromise<Tool> {
    const input = { path: { tool_id: toolId }, body: change };
    return this.transport.call('patch', '/api/v1/tools/{tool_id}', input, options);
  }

  delete(toolId: string, options?: RequestOptions): GatewayPromise<DeletedTool> {
    return this.transport.call('delete', '/api/v1/tools/{tool_id}', { path: { tool_id: toolId } }, options);
  }

  /** Calls the tool at once and resolves with the outcome, successful or failed. No conversation knows of the call. */
  test(toolId: string, request: ToolTestParams, options?: RequestOptions): GatewayPromise<TestedTool> {
    const input = { path: { tool_id: toolId }, body: request };
    return this.transport.call('post', '/api/v1/tools/{tool_id}/test', input, options);
  }

  /** The calls that have ended, newest first. */
  listCalls(toolId: string, query?: ToolCallListParams, options?: RequestOptions): List<ToolCall> {
    const input = { path: { tool_id: toolId }, query };
    return this.transport.list('/api/v1/tools/{tool_id}/calls', input, options, { isDated: true });
  }
}
