/** https://platform.claude.com/docs/en/api/messages, as far as the gateway uses it. */
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

/** What a script makes of a request; text alone is enough. */
export interface Reply {
  text: string;
  /** `end_turn` by default, `max_tokens` if the text had to be cut. */
  stopReason?: StopReason;
  /** A thinking block before the text, as models that think by default send it. */
  thinking?: string;
  /** A call of a tool after the text. */
  tool?: { name: string; input: unknown };
  /** Instead of what the fake counts. */
  usage?: Partial<Usage>;
}

/** Text of a string or of its text blocks. */
export function textOf(content: string | ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? '').join('');
}

export function lastUserText({ messages }: MessagesRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last ? textOf(last.content) : '';
}
