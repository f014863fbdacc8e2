import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AiFake } from './ai-fake';
import { countTokens } from './anthropic-usage';
import type { RetryAfter } from './fault-queue';
import type { Answer, RecordedRequest } from './http-fake';
import { chatError, ChatFailure, type Dialect, validateChat } from './openai-dialects';
import { type ChatAnswer, streamChat } from './openai-stream';
import { type ChatReply, type ChatRequest, chatTextOf, lastUserChat } from './openai-types';

export interface OpenAiFakeOptions {
  /** The server that it plays; OpenAI by default. */
  dialect?: Dialect;
  /** Null: any request is accepted, as Ollama and vLLM do by default. */
  apiKey?: string | null;
  /** A longer prompt is refused. 128,000 by default. */
  contextTokens?: number;
  /** The path of the API; `/v1` by default, for Azure that of a deployment. */
  root?: string;
  vision?: boolean;
  tools?: boolean;
}

/** The deployment of the fake that plays Azure, in place of a model. */
export const DEPLOYMENT = 'our-deployment';
const AZURE_VERSION = '2024-10-21';

/** Chat Completions as OpenAI, Azure, Mistral, vLLM and Ollama serve it, with and without streaming. */
export class OpenAiFake extends AiFake<ChatRequest, ChatReply> {
  readonly dialect: Dialect;
  override models: readonly string[] | undefined = ['gpt-5-mini', 'gpt-4o'];
  readonly #root: string;
  readonly #isOpen: boolean;
  readonly #contextTokens: number;
  readonly #abilities: { vision: boolean; tools: boolean };
  /** Prompts that were read before are cached. */
  readonly #read = new Set<string>();

  constructor({
    dialect = 'openai',
    apiKey,
    contextTokens,
    root,
    vision = true,
    tools = true,
  }: OpenAiFakeOptions = {}) {
    super('chat', apiKey ?? 'sk-fake-openai', lastUserChat);
    this.dialect = dialect;
    this.#isOpen = apiKey === null;
    this.#root = root ?? (dialect === 'azure' ? `/openai/deployments/${DEPLOYMENT}` : '/v1');
    this.#contextTokens = contextTokens ?? 128_000;
    this.#abilities = { vision, tools };
  }

  /** The base URL as an operator copies it from the server's documentation. */
  get baseUrl(): string {
    return `${this.url}${this.#root}${this.dialect === 'azure' ? `?api-version=${AZURE_VERSION}` : ''}`;
  }

  protected operationOf(path: string): string {
    return path === `${this.#root}/chat/completions` ? 'chat' : path;
  }

  protected streamError(status: number) {
    return (chatError('openai', status).body as { error: Record<string, unknown> }).error;
  }

  protected errorAnswer(status: number, retryAfter?: RetryAfter): Answer {
    const answer = chatError(this.dialect, status);
    return {
      ...answer,
      headers: { ...answer.headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
    };
  }

  protected async handle(request: RecordedRequest<ChatRequest>, signal: AbortSignal): Promise<Answer> {
    const { method, operation, path, headers, body, query } = request;
    if (this.dialect === 'azure' && query.get('api-version') !== AZURE_VERSION)
      return chatError(this.dialect, 404, { message: 'Resource not found', code: '404' });
    if (this.models && path === `${this.#root}/models`) return this.#models(headers);
    if (operation !== 'chat') return { status: 404, body: 'page not found' };
    if (method !== 'POST') return chatError(this.dialect, 405);
    const refused = this.#refusedKey(headers);
    if (refused) return refused;
    if (this.dialect !== 'azure' && this.models && !this.models.includes(body.model))
      return chatError(this.dialect, 404, {
        message: `The model \`${body.model}\` does not exist`,
        code: 'model_not_found',
      });
    try {
      validateChat(this.dialect, body, this.#abilities);
      const tokens = promptTokensOf(body);
      if (tokens > this.#contextTokens)
        throw new ChatFailure(
          400,
          `This model's maximum context length is ${this.#contextTokens} tokens. However, your messages resulted in ${tokens} tokens.`,
          'context_length_exceeded',
          'messages',
        );
    } catch (error) {
      if (error instanceof ChatFailure) return chatError(this.dialect, error.status, error);
      throw error;
    }
    return this.#answer(body, signal);
  }

  #refusedKey(headers: IncomingHttpHeaders): Answer | undefined {
    if (this.#isOpen) return undefined;
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const key = this.dialect === 'azure' ? headers['api-key'] : bearer;
    return key === this.apiKey ? undefined : chatError(this.dialect, 401);
  }

  #models(headers: IncomingHttpHeaders): Answer {
    const data = (this.models ?? []).map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'fake' }));
    return this.#refusedKey(headers) ?? { status: 200, body: { object: 'list', data } };
  }

  async #answer(request: ChatRequest, signal: AbortSignal): Promise<Answer> {
    await this.admit(signal);
    if (signal.aborted) return chatError(this.dialect, 500);
    const answer = this.#completion(request, await this.script(request));
    if (!request.stream) return { status: 200, body: answer };
    const interruption = this.takeInterruption();
    const isAsked = request.stream_options?.include_usage === true || this.dialect === 'mistral';
    const options = { pauseMs: this.streamPauseMs, hasUsage: isAsked && answer.usage !== undefined, interruption };
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      stream: (response) => streamChat(response, answer, options),
    };
  }

  #completion(request: ChatRequest, scripted: string | ChatReply): ChatAnswer {
    const reply: ChatReply = typeof scripted === 'string' ? { text: scripted } : scripted;
    const limit = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
    const isCut = reply.text !== '' && countTokens(reply.text) > limit;
    // toWellFormed: the cut may split a surrogate pair.
    const text = isCut ? reply.text.slice(0, limit * 4).toWellFormed() : reply.text;
    const tool_calls = (reply.tools ?? []).map(({ name, input }) => ({
      id: `call_${randomBytes(9).toString('hex')}`,
      type: 'function' as const,
      function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
    }));
    const usual = tool_calls.length > 0 ? 'tool_calls' : isCut ? 'length' : 'stop';
    return {
      id: `chatcmpl-${randomBytes(9).toString('hex')}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model: reply.model ?? request.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text === '' ? null : text,
            refusal: reply.refusal ?? null,
            ...(tool_calls.length > 0 && { tool_calls }),
          },
          finish_reason: reply.finishReason ?? usual,
        },
      ],
      ...(reply.usage !== null && { usage: reply.usage ?? this.#usage(request, text, tool_calls) }),
    };
  }

  #usage(request: ChatRequest, text: string, calls: object[]): object {
    const prompt_tokens = promptTokensOf(request);
    const [system] = request.messages;
    const prefix = system?.role === 'system' ? chatTextOf(system.content) : '';
    const isRead = prefix !== '' && this.#read.has(prefix);
    this.#read.add(prefix);
    const cached = isRead && countTokens(prefix) >= 1_024 ? countTokens(prefix) : 0;
    const completion_tokens =
      (text === '' ? 0 : countTokens(text)) + (calls.length === 0 ? 0 : countTokens(JSON.stringify(calls)));
    return {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens: cached },
    };
  }
}

/** An image counts 85 tokens, as a small one of OpenAI does. */
function promptTokensOf({ messages, tools }: ChatRequest): number {
  const images = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((part) => part.image_url);
  const texts = messages.map(
    ({ content, tool_calls }) => chatTextOf(content) + (tool_calls ? JSON.stringify(tool_calls) : ''),
  );
  const all = texts.reduce((sum, text) => sum + countTokens(text) + 4, 0);
  return all + images.length * 85 + (tools ? countTokens(JSON.stringify(tools)) : 0);
}
