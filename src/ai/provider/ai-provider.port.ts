export type AiRole = 'user' | 'assistant';

export interface AiMessage {
  role: AiRole;
  content: string;
}

export interface AiRequest {
  model: string;
  /** Instructions; empty for none. */
  system: string;
  /** Oldest first; the last one is the user's, newer models refuse to go on writing an assistant's. */
  messages: readonly AiMessage[];
  /** Upper bound of the answer in tokens, at least 1. */
  maxTokens: number;
  /** 0 to 1. Left out where the model no longer knows it. */
  temperature: number;
  /** All that was said so far: the next request probably begins with these messages and their answer, and reads them from the cache. */
  growing?: boolean;
  /** Asked in turn when `model` fails for reasons of the provider's; only RetryingProvider looks at them. */
  fallbackModels?: readonly string[];
}

export interface AiTokens {
  /** Read at the full price: without those under `cacheRead` and `cacheWrite`. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type AiStopReason = 'end_turn' | 'max_tokens' | 'refusal' | 'other';

export interface AiCompletion {
  /** Never empty. */
  text: string;
  /** The model that answered, as the provider names it. */
  model: string;
  tokens: AiTokens;
  /** Whole milliseconds that the caller waited, retries included. */
  latencyMs: number;
  stopReason: AiStopReason;
}

export type AiStreamEvent = { type: 'delta'; text: string } | { type: 'final'; completion: AiCompletion };

/** Who makes the answers. Every failure is an {@link AiProviderError}. */
export interface AiProvider {
  readonly name: 'anthropic' | 'sandbox';
  /** False: its tokens are counted but cost nothing. */
  readonly billable: boolean;
  complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion>;
  /** Deltas in order, then one `final`, whose text is all deltas together. */
  stream(request: AiRequest, signal?: AbortSignal): AsyncIterable<AiStreamEvent>;
}
