import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AiFake } from './ai-fake';
import { AnthropicFailure, errorAnswer, errorBody, requestId } from './anthropic-errors';
import { type AnsweredMessage, streamMessage } from './anthropic-stream';
import { lastUserText, type MessagesRequest, type Reply, type StopReason } from './anthropic-types';
import { refuseFiles } from './anthropic-files';
import { countTokens, PromptCache, promptTokens } from './anthropic-usage';
import { validate } from './anthropic-validation';
import type { RetryAfter } from './fault-queue';
import type { Answer, RecordedRequest } from './http-fake';

export interface AnthropicFakeOptions {
  apiKey?: string;
  /** Shorter prefixes are not cached. 1024 by default, as for most models. */
  minimumCacheTokens?: number;
  /** A longer prompt is refused. 200,000 by default, as for most models. */
  contextTokens?: number;
  /** Requests per minute in the rate limit headers. The fake does not enforce it. */
  requestsPerMinute?: number;
}

/** `caller` of a tool call by the model itself. */
const DIRECT = { type: 'direct' as const };

/**
 * Anthropic's Messages API, with and without streaming. `GET /v1/models` exists only if a test sets `models`: the gateway must
 * not depend on it. `fail({ status: 529 })` or `fail({ status: 429, retryAfter: 2 })` answers with the API's error body.
 */
export class AnthropicFake extends AiFake<MessagesRequest, Reply> {
  readonly #cache: PromptCache;
  readonly #requestsPerMinute: number;
  readonly #contextTokens: number;

  constructor({ apiKey, minimumCacheTokens, requestsPerMinute, contextTokens }: AnthropicFakeOptions = {}) {
    super('messages', apiKey ?? 'sk-ant-fake', lastUserText);
    this.#cache = new PromptCache(minimumCacheTokens ?? 1024);
    this.#requestsPerMinute = requestsPerMinute ?? 1000;
    this.#contextTokens = contextTokens ?? 200_000;
  }

  protected operationOf(path: string): string {
    return path === '/v1/messages' ? 'messages' : path;
  }

  protected streamError(status: number) {
    return errorBody(status);
  }

  protected errorAnswer(status: number, retryAfter?: RetryAfter): Answer {
    const answer = errorAnswer(status);
    const wait = retryAfter ?? (status === 429 ? 1 : undefined);
    const headers = {
      ...answer.headers,
      ...(wait !== undefined && { 'retry-after': String(wait) }),
      ...(status === 429 && this.#limitHeaders(0, typeof wait === 'number' ? wait : undefined)),
    };
    return { ...answer, headers };
  }

  protected async handle(request: RecordedRequest<MessagesRequest>, signal: AbortSignal): Promise<Answer> {
    const { method, operation, path, headers, body } = request;
    if (this.models && path.startsWith('/v1/models')) return this.#models(this.models, request);
    if (operation !== 'messages') return errorAnswer(404);
    if (method !== 'POST') return errorAnswer(405, 'Method Not Allowed');
    const key = keyOf(headers);
    if (key !== this.apiKey) return errorAnswer(401, key ? undefined : 'x-api-key header is required');
    if (!headers['anthropic-version']) return errorAnswer(400, 'anthropic-version: header is required');
    try {
      validate(body);
      refuseFiles(body);
      const tokens = promptTokens(body);
      if (tokens > this.#contextTokens)
        throw new AnthropicFailure(400, `prompt is too long: ${tokens} tokens > ${this.#contextTokens} maximum`);
    } catch (error) {
      if (error instanceof AnthropicFailure) return errorAnswer(error.status, error.message);
      throw error;
    }
    return this.#answer(body, signal);
  }

  #models(names: readonly string[], { path, headers }: RecordedRequest<MessagesRequest>): Answer {
    if (keyOf(headers) !== this.apiKey) return errorAnswer(401);
    const shown = (id: string) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' });
    const data = names.map(shown);
    if (path === '/v1/models') return { status: 200, body: { data, has_more: false, first_id: null, last_id: null } };
    const asked = decodeURIComponent(path.split('/').at(-1)!);
    return names.includes(asked) ? { status: 200, body: shown(asked) } : errorAnswer(404, `model: ${asked}`);
  }

  async #answer(request: MessagesRequest, signal: AbortSignal): Promise<Answer> {
    await this.admit(signal);
    if (signal.aborted) return errorAnswer(500, 'The client went away');
    const message = this.#message(request, await this.script(request));
    const headers = { 'request-id': requestId(), ...this.#limitHeaders(this.#requestsPerMinute - 1) };
    if (!request.stream) return { status: 200, headers, body: message };

    const options = { pauseMs: this.streamPauseMs, interruption: this.takeInterruption() };
    return {
      status: 200,
      headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      stream: (response) => streamMessage(response, message, options),
    };
  }

  #message(request: MessagesRequest, scripted: string | Reply): AnsweredMessage {
    const reply: Reply = typeof scripted === 'string' ? { text: scripted } : scripted;
    const { text, stopReason } = cut(reply, request.max_tokens);
    const { thinking } = reply;
    const tools = callsOf(reply);
    const signature = randomBytes(12).toString('base64');
    const outputTokens =
      countTokens(text) +
      (thinking ? countTokens(thinking) : 0) +
      tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
    const usage = { ...this.#cache.count(request), output_tokens: outputTokens, ...reply.usage };
    return {
      id: `msg_${randomBytes(12).toString('hex')}`,
      type: 'message',
      container: null,
      diagnostics: null,
      role: 'assistant',
      model: request.model,
      content: [
        ...(thinking ? [{ type: 'thinking' as const, thinking, signature }] : []),
        ...(text ? [{ type: 'text' as const, text, citations: null }] : []),
        ...tools.map((tool) => ({
          type: 'tool_use' as const,
          id: `toolu_${randomBytes(12).toString('hex')}`,
          ...tool,
          caller: DIRECT,
        })),
      ],
      stop_reason: stopReason,
      stop_sequence: null,
      stop_details: null,
      usage,
    };
  }

  /** https://platform.claude.com/docs/en/api/rate-limits#response-headers */
  #limitHeaders(remaining: number, resetSeconds = 60): Record<string, string> {
    const reset = new Date(Date.now() + resetSeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    const limits = {
      requests: this.#requestsPerMinute,
      'input-tokens': 400_000,
      'output-tokens': 80_000,
      tokens: 480_000,
    };
    return Object.fromEntries(
      Object.entries(limits).flatMap(([kind, limit]) => [
        [`anthropic-ratelimit-${kind}-limit`, String(limit)],
        [`anthropic-ratelimit-${kind}-remaining`, String(kind === 'requests' ? remaining : limit)],
        [`anthropic-ratelimit-${kind}-reset`, reset],
      ]),
    );
  }
}

/** Plain clients send `x-api-key`; since 1.0 the SDK sends a bearer token. The API accepts both. */
function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['x-api-key'];
  return typeof header === 'string' ? header : /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
}

function callsOf({ tool, tools = [] }: Reply) {
  return tool ? [tool, ...tools] : tools;
}

function cut(reply: Reply, maxTokens: number): { text: string; stopReason: StopReason } {
  const { text, stopReason } = reply;
  if (callsOf(reply).length > 0) return { text, stopReason: stopReason ?? 'tool_use' };
  if (text === '' || countTokens(text) <= maxTokens) return { text, stopReason: stopReason ?? 'end_turn' };
  // toWellFormed: the cut may split a surrogate pair.
  return { text: text.slice(0, maxTokens * 4).toWellFormed(), stopReason: stopReason ?? 'max_tokens' };
}
