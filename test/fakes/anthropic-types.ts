/** The part of https://platform.claude.com/docs/en/api/messages that the gateway uses. */
export interface MessagesRequest {
  model: string;
  max_tokens: number;
  messages: { role: 'user' | 'assistant'; content: string | ContentBlock[] }[];
  system?: string | ContentBlock[];
  temperature?: number;
  stream?: boolean;
  cache_control?: CacheControl | null;
  tools?: Tool[];
  [other: string]: unknown;
}

export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

export interface ContentBlock {
  type: string;
  text?: string;
  cache_control?: CacheControl | null;
  [other: string]: unknown;
}

export interface Tool {
  name: string;
  description?: string;
  strict?: boolean;
  input_schema: Record<string, unknown>;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
}

export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'refusal' | 'tool_use';

/** The answer of a script. Only the text is required. */
export interface Reply {
  text: string;
  /** By default `end_turn`, `tool_use` with a tool, `max_tokens` if the text is cut. */
  stopReason?: StopReason;
  /** Text of a thinking block before the text, as models that think by default send it. */
  thinking?: string;
  /** A tool call after the text. */
  tool?: { name: string; input: unknown };
  /** Several tool calls after the text. */
  tools?: { name: string; input: unknown }[];
  /** Replaces the fake's own counts. */
  usage?: Partial<Usage>;
}

export function textOf(content: string | ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? '').join('');
}

export function lastUserText({ messages }: MessagesRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last ? textOf(last.content) : '';
}
