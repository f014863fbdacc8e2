/** The part of https://platform.openai.com/docs/api-reference/chat that the gateway uses. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  reasoning_effort?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { type: 'function'; function: { name: string; strict?: boolean; parameters: Record<string, unknown> } }[];
  [other: string]: unknown;
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | ContentPart[] | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ContentPart {
  type: string;
  text?: string;
  image_url?: { url: string };
}

/** The answer of a script. Only the text is required. */
export interface ChatReply {
  text: string;
  /** By default `stop`, `tool_calls` with tools, `length` if the text is cut. */
  finishReason?: string;
  /** `message.refusal`: the model declines. */
  refusal?: string;
  /** Calls of tools after the text; a string as input is sent as it is. */
  tools?: { name: string; input: unknown }[];
  /** Replaces the fake's own counts; null: the answer has none. */
  usage?: unknown;
  /** The model that the answer names. */
  model?: string;
}

export function chatTextOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('');
}

export function lastUserChat({ messages }: ChatRequest): string {
  return chatTextOf(messages.findLast(({ role }) => role === 'user')?.content);
}
