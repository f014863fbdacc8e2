import type { AiRequest, AiTokens } from './ai-provider.port';

/** The most tokens that one attempt can use: each byte of the input is a token, and the answer is as long as it may be. */
export function mostTokens({ system, messages, maxTokens }: AiRequest): AiTokens {
  const input = messages.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), Buffer.byteLength(system));
  return { input, output: maxTokens, cacheRead: 0, cacheWrite: 0, isIncomplete: true };
}
