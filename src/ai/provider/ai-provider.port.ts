export type AiRole = 'user' | 'assistant';

export interface AiMessage {
  role: AiRole;
  content: string;
  /** The attachments that the model can read, perhaps none; undefined for a message without attachments. */
  files?: readonly AiFile[];
}

/** An image or a PDF that the model reads. */
export interface AiFile {
  type: 'image' | 'document';
  mediaType: string;
  /** UUID */
  attachmentId: string;
  sha256: string;
  sizeBytes: number;
  /** The pieces of its base64, in ASCII; undefined until the call has read it. */
  data?: readonly Buffer[] | undefined;
  /** How many tokens are reserved for it. */
  tokens: number;
  title?: string;
  /** Names it to the model if the call is made without it. */
  name: string;
}

export interface AiRequest {
  model: string;
  /** Instructions; empty for none. */
  system: string;
  /** Oldest first; the last one is the user's, as newer models refuse to continue an assistant's. */
  messages: readonly AiMessage[];
  /** Upper bound of the answer in tokens, at least 1. */
  maxTokens: number;
  /** 0 to 1. The provider leaves it out for a model that no longer accepts it. */
  temperature: number;
  /** The messages are the whole conversation: the next request probably begins with them, and reads them from the cache. */
  growing?: boolean;
  /** Models to try in this order when the provider fails with `model`; only RetryingProvider reads them. */
  fallbackModels?: readonly string[];
  /** An earlier call of the same request failed: each model is tried once. Only RetryingProvider reads it. */
  isRepeated?: boolean;
  /** How long the call has waited before it began, in milliseconds: it has so much less time. Only RetryingProvider reads it. */
  waitedMs?: number;
  /** Offers the tool `hand_over`, by which the model requests a person instead of answering. */
  mayHandOver?: boolean;
}

export interface AiTokens {
  /** Read at the full price: without those under `cacheRead` and `cacheWrite`. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The provider has not reported all of it: it may have used more. */
  isIncomplete?: boolean;
}

export type AiStopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'other';

/** Input of the tool call by which the model requests a person. */
export interface HandOverCall {
  reason: string;
  summary: string;
}

/** A parameter that a model no longer takes. The provider leaves it out. */
export interface IgnoredParameter {
  model: string;
  parameter: 'temperature';
}

export interface AiCompletion {
  /** Never empty, unless the model requests a person. */
  text: string;
  /** The model requests a person: its text is not sent. */
  handOver?: HandOverCall;
  /** The model that answered, as the provider names it. */
  model: string;
  tokens: AiTokens;
  /** Whole milliseconds that the caller waited, retries included. */
  latencyMs: number;
  stopReason: AiStopReason;
  /** Parameters of the request that the provider left out; undefined: none. */
  ignored?: readonly IgnoredParameter['parameter'][];
}

export type AiStreamEvent = { type: 'delta'; text: string } | { type: 'final'; completion: AiCompletion };

/** Generates answers. Every failure is an {@link AiProviderError}. */
export interface AiProvider {
  readonly name: 'anthropic' | 'sandbox';
  /** False: the bill counts its tokens, but they cost nothing. */
  readonly billable: boolean;
  /** Parameters that models have refused since the process started; undefined: none. */
  readonly ignored?: readonly IgnoredParameter[];
  complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion>;
  /** Yields deltas in order, then one `final` with the text of all deltas. */
  stream(request: AiRequest, signal?: AbortSignal): AsyncIterable<AiStreamEvent>;
}
