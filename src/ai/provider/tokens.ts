import type { AiMessage, AiRequest, AiTokens } from './ai-provider.port';

/** Most tokens that one answer counts as using: the columns that store them are no wider. */
export const MAX_TOKENS = 1_000_000_000;

/** All tokens that a call read: at the full price, from the provider's cache, and those written into it. */
export function promptTokens({ input, cacheRead, cacheWrite }: AiTokens): number {
  return Math.min(input + cacheRead + cacheWrite, MAX_TOKENS);
}

/** Tokens as the API and the events show them: tokens of the provider's cache count as read. */
export function shownTokens(tokens: AiTokens): { input: number; output: number } {
  return { input: promptTokens(tokens), output: tokens.output };
}

/**
 * The most tokens that one attempt can use: each byte of the text is a token, files have their own, and the answer is as long as
 * it may be. The bytes of a tool's definition leave enough for the instructions that the API adds
 * (350 tokens: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing).
 */
export function mostTokens({ system, messages, maxTokens, tools = [] }: AiRequest): AiTokens {
  let input = bytesOf(system) + tools.reduce((sum, tool) => sum + bytesOf(JSON.stringify(tool)), 0);
  for (const message of messages)
    input += messageBytes(message) + (message.files ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
  return { input, output: maxTokens, cacheRead: 0, cacheWrite: 0, isIncomplete: true };
}

/** The bytes of a message without its files. */
export function messageBytes({ content, toolCalls, toolResults }: AiMessage): number {
  const calls = (toolCalls ?? toolResults) ? bytesOf(JSON.stringify([toolCalls, toolResults])) : 0;
  return bytesOf(content) + calls;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** The counts of a provider's usage. `input` is without the other two kinds of input. */
type ReportedTokens = Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', unknown>;

/**
 * Reads the usage that a provider reports. A count that is missing or absurd makes it incomplete: the most that the call could
 * cost is then charged.
 */
export function reportedTokens({ input, output, cacheRead, cacheWrite }: ReportedTokens): AiTokens {
  return {
    input: clamped(input),
    output: clamped(output),
    cacheRead: clamped(cacheRead),
    cacheWrite: clamped(cacheWrite),
    ...(!(isCount(input) && isCount(output)) && { isIncomplete: true }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

function clamped(count: unknown): number {
  return isCount(count) ? Math.min(Math.floor(count), MAX_TOKENS) : 0;
}
