import type { Dispatcher } from 'undici';
import type { AiProviderName } from '#contracts';

export type AiRole = 'user' | 'assistant';

export interface AiMessage {
  role: AiRole;
  content: string;
  /** The tools that the assistant called beside its text. The next message has their results. */
  toolCalls?: readonly AiToolCall[];
  /** In a message of the user: the results of the calls in the message before. */
  toolResults?: readonly AiToolResult[];
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

/** A tool that the model may call in place of an answer, or beside it. */
export interface AiTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>;
  /** The provider admits only calls that fit the schema, if it can. */
  strict?: boolean;
}

export interface AiToolCall {
  /** As the provider names the call. */
  id: string;
  name: string;
  /** Parsed JSON, unchecked: it may not fit the schema. Undefined if the model wrote no JSON. */
  arguments: unknown;
}

export interface AiToolResult {
  /** `id` of the call. */
  callId: string;
  content: string;
  isError?: boolean;
}

export interface AiRequest {
  /** The full name of the model, with its provider; the provider itself gets its own name for it. */
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
  tools?: readonly AiTool[] | undefined;
  /** The tools are offered because earlier messages call them, but the model must answer now. */
  mustAnswer?: boolean | undefined;
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

/** A parameter that a model no longer takes. The provider leaves it out. */
export interface IgnoredParameter {
  model: string;
  parameter: 'temperature';
}

export interface AiCompletion {
  /** Never empty, unless the model calls tools. */
  text: string;
  /** The calls of tools that the request offers; undefined: none. */
  toolCalls?: readonly AiToolCall[];
  /** The model that answered. */
  model: string;
  tokens: AiTokens;
  /** Whole milliseconds that the caller waited, retries included. */
  latencyMs: number;
  stopReason: AiStopReason;
  /** Another model declined to answer before; only RetryingProvider sets it. */
  isRefused?: boolean;
  /** Parameters of the request that the provider left out; undefined: none. */
  ignored?: readonly IgnoredParameter['parameter'][];
}

export type AiStreamEvent = { type: 'delta'; text: string } | { type: 'final'; completion: AiCompletion };

/** Generates answers. Every failure is an {@link AiProviderError}. */
export interface AiProvider {
  /** False: the bill counts its tokens, but they cost nothing. */
  readonly billable: boolean;
  /** Parameters that models have refused since the process started; undefined: none. */
  readonly ignored?: readonly IgnoredParameter[];
  complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion>;
  /** Yields deltas in order, then one `final` with the text of all deltas. */
  stream(request: AiRequest, signal?: AbortSignal): AsyncIterable<AiStreamEvent>;
}

/** A provider as its folder implements it. It knows the models by their own names. */
export interface ModelProvider extends AiProvider {
  /** The models that it offers; undefined if the server has no list of them. @throws AiProviderError */
  models(signal?: AbortSignal): Promise<readonly string[] | undefined>;
  /** Undefined if the server does not say. @throws AiProviderError */
  offers(model: string, signal?: AbortSignal): Promise<boolean | undefined>;
}

/** Where a provider is, and the key for it. */
export interface ProviderAccess {
  /** Undefined: the server needs none. */
  apiKey?: string | undefined;
  /** Undefined: the provider's own address. */
  baseUrl?: string | undefined;
}

/** How a provider is reached. */
export interface ProviderConnection extends ProviderAccess {
  /** Connects to the base URL; undefined: without restrictions, as the operator's environment names it. */
  dispatcher?: Dispatcher | undefined;
  /** Milliseconds until the answer must begin, unless the caller's signal has a shorter deadline. */
  timeoutMs?: number | undefined;
}

/** Makes the provider of a folder. */
export type MakeProvider = (connection: ProviderConnection) => ModelProvider;

export type ProviderName = AiProviderName | 'sandbox';
