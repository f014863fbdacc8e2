import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import { abortError, afterSpending, AiProviderError } from '../ai-provider.error';
import type {
  AiCompletion,
  AiProvider,
  AiRequest,
  AiStreamEvent,
  AiTokens,
  IgnoredParameter,
} from '../ai-provider.port';
import { faultOf, toAiProviderError } from './anthropic-errors';
import { piecesOf } from './anthropic-body';
import { HAND_OVER, handOverCall } from '../hand-over-tool';
import { fileAt, RefusedParameters, toMessageParams } from './anthropic-request';
import { MAX_TOKENS } from '../tokens';
import { streamingFetch, wholeFetch } from './whole-fetch';

export interface AnthropicOptions {
  apiKey: string;
  /** Default: the SDK's. */
  baseUrl?: string;
  /** Milliseconds until the answer must begin, unless the caller's signal has a shorter deadline. */
  timeoutMs?: number;
}

/** A rough figure for English text. */
const BYTES_PER_TOKEN = 4;

const STOP_REASONS = ['end_turn', 'max_tokens', 'tool_use'] as const;

type MessageParams = ReturnType<typeof toMessageParams>;
type Usage = Partial<Record<keyof Anthropic.Usage, unknown>> | null | undefined;

/** @param timeoutMs until the answer must begin, in milliseconds */
export function clientOptions(apiKey: string, baseURL: string | undefined, timeoutMs: number): ClientOptions {
  // authToken null: the SDK must not send a token from the environment beside the configured key.
  // logLevel off: the SDK would bypass our log. openTelemetry off: nothing here collects the spans.
  return {
    apiKey,
    authToken: null,
    baseURL,
    // The SDK sends the key as a bearer token, as today's API expects; compatible servers may know only the
    // former header.
    ...(baseURL && !/^https:\/\/api\.anthropic\.com\b/.test(baseURL) && { defaultHeaders: { 'x-api-key': apiKey } }),
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  };
}

/** Calls the Messages API: one call makes one HTTP request. RetryingProvider does the retries. */
export class AnthropicProvider implements AiProvider {
  readonly name = 'anthropic';
  readonly billable = true;
  private readonly apiKey: string;
  private readonly client: Anthropic;
  private readonly streaming: Anthropic;
  private readonly refused = new RefusedParameters();

  constructor({ apiKey, baseUrl, timeoutMs = 60_000 }: AnthropicOptions) {
    this.apiKey = apiKey;
    const options = clientOptions(apiKey, baseUrl, timeoutMs);
    this.client = new Anthropic({ ...options, fetch: wholeFetch });
    this.streaming = new Anthropic({ ...options, fetch: streamingFetch });
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
      if (!Array.isArray(message.content)) throw brokenOff(notAnAnswer(), message.usage, '');
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const call = message.content.find((block) => block.type === 'tool_use' && block.name === HAND_OVER.name);
      const answered = {
        text: sanitizeText(text),
        model: message.model || request.model,
        tokens: tokensOf(message.usage),
        ...this.refused.ignoredOf(request),
        ...(request.mayHandOver && call?.type === 'tool_use' && { handOver: handOverCall(call.input) }),
      };
      return completion(answered, message.stop_reason, startedAt);
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
    let text = '';
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
          text += piece;
          if (piece) yield { type: 'delta', text: piece };
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
      throw brokenOff(toAiProviderError(error, this.apiKey, signal), usage, text);
    }
    // The SDK ends an aborted stream without an error, and a stream that was cut off like a complete one.
    if (!complete) throw brokenOff(signal?.aborted ? abortError(signal) : notAnAnswer(), usage, text);
    const rest = pieces.end();
    if (rest) yield { type: 'delta', text: rest };
    text += rest;
    const tokens = isReported ? tokensOf(usage) : { ...tokensOf(usage), isIncomplete: true };
    const answered = { text, model, tokens, ...this.refused.ignoredOf(request) };
    yield { type: 'final', completion: completion(answered, stopReason, startedAt) };
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
      if (this.refused.learn(params, error))
        throw new AiProviderError(type, message, { retryable: true, status, cause });
      const fault = faultOf(error, request, (...place) => fileAt(request, ...place));
      throw fault ? new AiProviderError(type, message, { retryable: false, status, fault, cause }) : error;
    }
  }
}

/**
 * @throws AiProviderError `refusal` if the model declined, perhaps in the middle of its text; `empty_response` if there is no text.
 * The provider bills the tokens nevertheless.
 */
function completion(
  answered: Pick<AiCompletion, 'text' | 'model' | 'tokens' | 'handOver' | 'ignored'>,
  reason: string | null,
  startedAt: number,
): AiCompletion {
  const { text, tokens, handOver } = answered;
  if (reason === 'refusal') {
    throw new AiProviderError('refusal', 'The AI provider declined to answer', { retryable: false, tokens });
  }
  if (text.trim() === '' && !handOver) {
    const why =
      reason === 'max_tokens'
        ? 'The answer has no text: max_tokens was used up before the text began'
        : 'The AI provider answered without text';
    throw new AiProviderError('empty_response', why, { retryable: false, tokens });
  }
  return {
    ...answered,
    latencyMs: Math.round(performance.now() - startedAt),
    stopReason: STOP_REASONS.find((known) => known === reason) ?? 'other',
  };
}

/** Sanitizes a text that arrives in pieces: the first half of a surrogate pair waits for the second half. */
class TextPieces {
  private half = '';

  add(piece: string): string {
    const text = this.half + piece;
    this.half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    return sanitizeText(this.half ? text.slice(0, -1) : text);
  }

  end(): string {
    return sanitizeText(this.half);
  }
}

function clamped(count: unknown): number {
  return typeof count === 'number' && count > 0 ? Math.min(Math.floor(count), MAX_TOKENS) : 0;
}

function tokensOf(usage: Usage): AiTokens {
  return {
    input: clamped(usage?.input_tokens),
    output: clamped(usage?.output_tokens),
    cacheRead: clamped(usage?.cache_read_input_tokens),
    cacheWrite: clamped(usage?.cache_creation_input_tokens),
    ...(typeof usage?.output_tokens !== 'number' && { isIncomplete: true }),
  };
}

/**
 * The provider bills the tokens that it read and wrote before a stream broke off. It reports the written ones only at the
 * end of a stream, so this estimates them.
 */
function brokenOff(error: AiProviderError, usage: Usage, text: string): AiProviderError {
  if (!usage && text === '') return error;
  const tokens = tokensOf(usage);
  const written = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
  return afterSpending({ ...tokens, output: Math.max(tokens.output, written), isIncomplete: true }, error);
}

function notAnAnswer(): AiProviderError {
  return new AiProviderError('unavailable', 'The AI provider interrupted its answer', { retryable: true });
}
