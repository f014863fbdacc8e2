import type OpenAI from 'openai';
import { NotFoundError } from 'openai';
import { sanitizeText } from '#contracts';
import { abortError, AiProviderError } from '../ai-provider.error';
import type {
  AiCompletion,
  AiRequest,
  AiStopReason,
  AiStreamEvent,
  AiTokens,
  AiToolCall,
  IgnoredParameter,
  MakeProvider,
  ModelProvider,
  ProviderConnection,
} from '../ai-provider.port';
import { brokenOff, completionOf, interrupted, TextPieces } from '../completion';
import { notJson } from '../http/failures';
import { piecesOf } from '../http/request-body';
import { RefusedParameters } from '../refused-parameters';
import { reportedTokens } from '../tokens';
import { argumentsOf, offeredCalls, ToolCallPieces } from '../tool-calls';
import { fileAt } from '../turns';
import { clientsOf, limitNameAt } from './openai-client';
import { errorIn, failureOf, faultOf, toAiProviderError } from './openai-errors';
import { refusedIn, streamed, toChatParams, type OptionalParameter, type Params } from './openai-request';
import { WithoutThinking, withoutThinking } from './thinking';

const STOP_REASONS: Readonly<Record<string, AiStopReason | 'refusal'>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Fields of an answer as servers send them, unchecked. */
type Message = Partial<Record<'content' | 'refusal' | 'tool_calls', unknown>> | null | undefined;

/** Calls Chat Completions: one call makes one HTTP request. RetryingProvider does the retries. */
export class OpenAiProvider implements ModelProvider {
  readonly billable = true;
  private readonly clients: ReturnType<typeof clientsOf>;
  private readonly refused = new RefusedParameters<OptionalParameter>();

  constructor(private readonly connection: ProviderConnection) {
    this.clients = clientsOf(connection);
  }

  get ignored(): readonly IgnoredParameter[] {
    return this.refused.ignored;
  }

  complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    return this.calling(request, signal, async (params) => {
      const startedAt = performance.now();
      // The SDK's `signal` would keep the call in memory until the next full collection (ADR 29).
      const fetchOptions = { caller: signal, pieces: piecesOf(params, request) } as object;
      const answer: unknown = await this.clients.whole.chat.completions.create(params, { fetchOptions });
      return this.completion(answer, request, startedAt);
    });
  }

  async *stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    const startedAt = performance.now();
    const chunks = await this.calling(request, signal, (whole) => {
      const params = streamed(whole, this.refused.of(request.model));
      const fetchOptions = { pieces: piecesOf(params, request) } as object;
      return this.clients.streaming.chat.completions.create(params, { signal, fetchOptions });
    });
    const pieces = new TextPieces();
    const thinking = new WithoutThinking();
    const calls = new ToolCallPieces();
    let usage: unknown;
    let reason: string | undefined;
    let isRefusal = false;
    try {
      for await (const chunk of chunks as AsyncIterable<Partial<OpenAI.ChatCompletionChunk> | null>) {
        usage = chunk?.usage ?? usage;
        const choice = chunk?.choices?.[0];
        if (!choice) continue;
        const { content, refusal, tool_calls: called } = (choice.delta ?? {}) as NonNullable<Message>;
        isRefusal ||= isText(refusal);
        const piece = pieces.add(thinking.add(textOf(content)));
        if (piece) yield { type: 'delta', text: piece };
        for (const [position, call] of listOf(called).entries()) calls.add(indexOf(call) ?? position, pieceOf(call));
        reason = choice.finish_reason ?? reason;
      }
    } catch (error) {
      const failure = toAiProviderError(error, this.connection.apiKey, signal);
      throw brokenOff(failure, usage === undefined ? undefined : tokensOf(usage), pieces.text);
    }
    // The SDK ends an aborted stream without an error, and a stream that was cut off like a complete one.
    if (reason === undefined || reason === 'error') {
      const failure = signal?.aborted ? abortError(signal) : interrupted();
      throw brokenOff(failure, usage === undefined ? undefined : tokensOf(usage), pieces.text);
    }
    const rest = pieces.add(thinking.end()) + pieces.end();
    if (rest) yield { type: 'delta', text: rest };
    const answered = { ...this.answered(request, usage), text: pieces.text, ...calls.offered(request, pieces.text) };
    yield { type: 'final', completion: completionOf(answered, stopReasonOf(reason, isRefusal), startedAt) };
  }

  async models(signal?: AbortSignal): Promise<readonly string[] | undefined> {
    try {
      const page = (await this.clients.whole.models.list({ signal })) as Partial<OpenAI.ModelsPage>;
      if (!Array.isArray(page?.data)) return undefined;
      return page.data.map(({ id }) => id).filter((id) => typeof id === 'string');
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw toAiProviderError(error, this.connection.apiKey, signal);
    }
  }

  async offers(model: string, signal?: AbortSignal): Promise<boolean | undefined> {
    return (await this.models(signal))?.includes(model);
  }

  private completion(answer: unknown, request: AiRequest, startedAt: number): AiCompletion {
    // The SDK passes a body of another type on as its text: the page of a proxy.
    if (typeof answer !== 'object' || answer === null) throw notJson();
    const { choices, usage } = answer as Partial<OpenAI.ChatCompletion>;
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    const reason = choice?.finish_reason as string | undefined;
    if (!choice || reason === 'error') {
      const { error: inChoice } = (choice ?? {}) as { error?: unknown };
      const error = errorIn({ error: inChoice }) ?? errorIn(answer);
      const failure = error ? failureOf(error, undefined, this.connection.apiKey) : interrupted();
      throw brokenOff(failure, usage && tokensOf(usage), '');
    }
    const { content, refusal, tool_calls: called } = (choice.message ?? {}) as NonNullable<Message>;
    const text = sanitizeText(withoutThinking(textOf(content)));
    const calls = offeredCalls(request, listOf(called).map(callOf), text);
    const answered = { ...this.answered(request, usage), text, ...calls };
    return completionOf(answered, stopReasonOf(reason, isText(refusal)), startedAt);
  }

  /** The model is the one that was asked: servers name files, deployments or dated versions, which have no price. */
  private answered(request: AiRequest, usage: unknown): Pick<AiCompletion, 'model' | 'tokens' | 'ignored'> {
    return { model: request.model, tokens: tokensOf(usage), ...this.refused.ignoredOf(request) };
  }

  private async calling<T>(
    request: AiRequest,
    signal: AbortSignal | undefined,
    call: (params: Params) => Promise<T>,
  ): Promise<T> {
    const refused = this.refused.of(request.model);
    const params = toChatParams(request, refused, limitNameAt(this.connection.baseUrl));
    try {
      return await call(params);
    } catch (cause) {
      const error = toAiProviderError(cause, this.connection.apiKey, signal);
      const { type, message, status } = error;
      if (this.refused.learn(request.model, refusedIn(streamed(params, refused), error)))
        throw new AiProviderError(type, message, { retryable: true, status, cause });
      const fault = faultOf(error, request, (...place) => fileAt(request, ...place));
      throw fault ? new AiProviderError(type, message, { retryable: false, status, fault, cause }) : error;
    }
  }
}

export const makeProvider: MakeProvider = (connection) => new OpenAiProvider(connection);

function stopReasonOf(reason: string | undefined, isRefusal: boolean): AiStopReason | 'refusal' {
  if (isRefusal) return 'refusal';
  return reason !== undefined && Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason]! : 'other';
}

/** Some servers answer in parts, of which the thoughts of the model are others. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = listOf(content) as { type?: unknown; text?: unknown }[];
  return parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function listOf(value: unknown): object[] {
  return Array.isArray(value) ? value.filter((item): item is object => typeof item === 'object' && item !== null) : [];
}

/** A call, or a piece of it, as a server sends it. */
interface Called {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

function callOf(call: Called): AiToolCall {
  const { id = '', name = '' } = pieceOf(call);
  return { id, name, arguments: argumentsOf(call.function?.arguments) };
}

function pieceOf({ id, function: called }: Called): { id?: string; name?: string; json?: string } {
  const { name, arguments: input } = called ?? {};
  const json = typeof input === 'object' && input !== null ? JSON.stringify(input) : input;
  return {
    ...(isText(id) && { id: id as string }),
    ...(isText(name) && { name: name as string }),
    ...(isText(json) && { json: json as string }),
  };
}

function indexOf({ index }: Called): number | undefined {
  return typeof index === 'number' ? index : undefined;
}

/** `prompt_tokens` includes those of the cache. */
function tokensOf(usage: unknown): AiTokens {
  const {
    prompt_tokens: prompt,
    completion_tokens: output,
    prompt_tokens_details: details,
  } = (usage ?? {}) as Record<string, unknown>;
  const read = (details as { cached_tokens?: unknown } | null | undefined)?.cached_tokens;
  const cacheRead = typeof read === 'number' && typeof prompt === 'number' ? Math.min(Math.max(read, 0), prompt) : 0;
  const input = typeof prompt === 'number' ? prompt - cacheRead : prompt;
  return reportedTokens({ input, output, cacheRead, cacheWrite: 0 });
}
