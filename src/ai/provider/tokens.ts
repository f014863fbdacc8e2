import type { AiRequest, AiTokens } from './ai-provider.port';
import { HAND_OVER_TOKENS } from './hand-over-tool';

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

/** The most tokens that one attempt can use: each byte of the text is a token, files have their own, and the answer is as long as it may be. */
export function mostTokens({ system, messages, maxTokens, mayHandOver }: AiRequest): AiTokens {
  let input = Buffer.byteLength(system) + (mayHandOver ? HAND_OVER_TOKENS : 0);
  for (const { content, files = [] } of messages)
    input = files.reduce((sum, { tokens }) => sum + tokens, input + Buffer.byteLength(content));
  return { input, output: maxTokens, cacheRead: 0, cacheWrite: 0, isIncomplete: true };
}
