import Anthropic, { NotFoundError, type ClientOptions } from '@anthropic-ai/sdk';
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
import { streamingFetch, wholeFetch } from '../http/provider-fetch';
import { piecesOf } from '../http/request-body';
import { RefusedParameters } from '../refused-parameters';
import { reportedTokens } from '../tokens';
import { offeredCalls, ToolCallPieces } from '../tool-calls';
import { fileAt } from '../turns';
import { faultOf, toAiProviderError } from './anthropic-errors';
import { refusedIn, toMessageParams, type OptionalParameter } from './anthropic-request';

const STOP_REASONS = ['end_turn', 'max_tokens', 'tool_use', 'refusal'] as const;

type MessageParams = ReturnType<typeof toMessageParams>;
type Usage = Partial<Record<keyof Anthropic.Usage, unknown>> | null | undefined;

function clientOptions({
  apiKey,
  baseUrl: baseURL,
  dispatcher,
  timeoutMs = 90_000,
}: ProviderConnection): ClientOptions {
  // authToken null: the SDK must not send a token from the environment beside the configured key.
  // logLevel off: the SDK would bypass our log. openTelemetry off: nothing here collects the spans.
  return {
    // The SDK refuses to call without a key.
    apiKey: apiKey ?? 'none',
    authToken: null,
    baseURL,
    // The SDK sends the key as a bearer token, as today's API expects; compatible servers may know only the
    // former header.
    ...(baseURL &&
      !/^https:\/\/api\.anthropic\.com\b/.test(baseURL) && { defaultHeaders: { 'x-api-key': apiKey ?? null } }),
    fetchOptions: { dispatcher },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  };
}

/** Calls the Messages API: one call makes one HTTP request. RetryingProvider does the retries. */
export class AnthropicProvider implements ModelProvider {
  readonly billable = true;
  private readonly apiKey: string | undefined;
  private readonly client: Anthropic;
  private readonly streaming: Anthropic;
  private readonly refused = new RefusedParameters<OptionalParameter>();

  constructor(connection: ProviderConnection) {
    this.apiKey = connection.apiKey;
    const options = clientOptions(connection);
    this.client = new Anthropic({ ...options, fetch: wholeFetch as typeof fetch });
    this.streaming = new Anthropic({ ...options, fetch: streamingFetch as typeof fetch });
  }

  get ignored(): readonly IgnoredParameter[] {
    return this.refused.ignored;
  }

  complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    return this.calling(this.client, request, signal, async (client, params) => {
      const startedAt = performance.now();
      // The SDK's `signal` would keep the call in memory until the next full collection, which finalizes it (ADR 29).
      const fetchOptions = { caller: signal, pieces: piecesOf(params, request) } as object;
      const message = await client.messages.create(params, { fetchOptions });
      if (!Array.isArray(message?.content))
        throw brokenOff(interrupted(), message?.usage ? tokensOf(message.usage) : undefined, '');
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const answered = {
        text: sanitizeText(text),
        model: message.model || request.model,
        tokens: tokensOf(message.usage),
        ...this.refused.ignoredOf(request),
        ...offeredCalls(request, callsIn(message.content), text),
      };
      return completionOf(answered, stopReasonOf(message.stop_reason), startedAt);
    });
  }

  async *stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    const startedAt = performance.now();
    const events = await this.calling(this.streaming, request, signal, (client, params) => {
      const streamed = { ...params, stream: true } as const;
      const fetchOptions = { pieces: piecesOf(streamed, request) } as object;
      return client.messages.create(streamed, { signal, fetchOptions });
    });
    const pieces = new TextPieces();
    const calls = new ToolCallPieces();
    let model = request.model;
    let usage: Usage;
    let stopReason: string | null = null;
    let complete = false;
    /** Whether the output tokens were reported: the number at the start of the stream is not that of the answer. */
    let isReported = false;
    try {
      for await (const event of events) {
        if (event.type === 'message_start') {
          model = event.message.model || model;
          usage = event.message.usage;
        } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          const piece = pieces.add(event.delta.text);
          if (piece) yield { type: 'delta', text: piece };
        } else if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
          calls.add(event.index, event.content_block);
        } else if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
          calls.add(event.index, { json: event.delta.partial_json });
        } else if (event.type === 'message_delta') {
          stopReason = event.delta.stop_reason;
          isReported = typeof event.usage?.output_tokens === 'number';
          // Cumulative; for a field that is missing or null, the value of message_start holds.
          usage = { ...usage, ...Object.fromEntries(Object.entries(event.usage ?? {}).filter(([, v]) => v !== null)) };
        } else if (event.type === 'message_stop') {
          complete = true;
        }
      }
    } catch (error) {
      throw brokenOff(toAiProviderError(error, this.apiKey, signal), usage ? tokensOf(usage) : undefined, pieces.text);
    }
    // The SDK ends an aborted stream without an error, and a stream that was cut off like a complete one.
    if (!complete)
      throw brokenOff(
        signal?.aborted ? abortError(signal) : interrupted(),
        usage ? tokensOf(usage) : undefined,
        pieces.text,
      );
    const rest = pieces.end();
    if (rest) yield { type: 'delta', text: rest };
    const tokens = isReported ? tokensOf(usage) : { ...tokensOf(usage), isIncomplete: true };
    const answered = { text: pieces.text, model, tokens, ...this.refused.ignoredOf(request) };
    const completion = completionOf(
      { ...answered, ...calls.offered(request, answered.text) },
      stopReasonOf(stopReason),
      startedAt,
    );
    yield { type: 'final', completion };
  }

  async models(signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const page = await this.listed(() => this.client.models.list({ limit: 1_000 }, { signal }), signal);
    return Array.isArray(page?.data) ? page.data.map(({ id }) => id) : undefined;
  }

  /** The API knows other names of its models than the listed ones. */
  async offers(model: string, signal?: AbortSignal): Promise<boolean | undefined> {
    const found = await this.listed(() => this.client.models.retrieve(model, {}, { signal }), signal);
    if (found) return typeof found.id === 'string' ? true : undefined;
    return (await this.models(signal)) ? false : undefined;
  }

  /** @returns undefined if the server knows only messages, as some servers do that imitate the API */
  private async listed<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw toAiProviderError(error, this.apiKey, signal);
    }
  }

  private async calling<T>(
    client: Anthropic,
    request: AiRequest,
    signal: AbortSignal | undefined,
    call: (client: Anthropic, params: MessageParams) => Promise<T>,
  ): Promise<T> {
    const params = toMessageParams(request, this.refused.of(request.model));
    try {
      return await call(client, params);
    } catch (cause) {
      const error = toAiProviderError(cause, this.apiKey, signal);
      const { type, message, status } = error;
      if (this.refused.learn(request.model, refusedIn(params, error)))
        throw new AiProviderError(type, message, { retryable: true, status, cause });
      const fault = faultOf(error, request, (...place) => fileAt(request, ...place));
      throw fault ? new AiProviderError(type, message, { retryable: false, status, fault, cause }) : error;
    }
  }
}

export const makeProvider: MakeProvider = (connection) => new AnthropicProvider(connection);

function callsIn(content: readonly Anthropic.ContentBlock[]): AiToolCall[] {
  return content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
  );
}

function stopReasonOf(reason: string | null): AiStopReason | 'refusal' {
  return STOP_REASONS.find((known) => known === reason) ?? 'other';
}

function tokensOf(usage: Usage): AiTokens {
  return reportedTokens({
    input: usage?.input_tokens,
    output: usage?.output_tokens,
    cacheRead: usage?.cache_read_input_tokens,
    cacheWrite: usage?.cache_creation_input_tokens,
  });
}
