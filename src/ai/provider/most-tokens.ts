import type { AiMessage, AiRequest, AiTokens } from './ai-provider.port';
import { HAND_OVER_TOKENS } from './hand-over-tool';

/** The most tokens that one attempt can use: each byte of the text is a token, files have their own, and the answer is as long as it may be. */
export function mostTokens({ system, messages, maxTokens, mayHandOver }: AiRequest): AiTokens {
  const ofMessage = ({ content, files = [] }: AiMessage) =>
    files.reduce((sum, { tokens }) => sum + tokens, Buffer.byteLength(content));
  const instructions = Buffer.byteLength(system) + (mayHandOver ? HAND_OVER_TOKENS : 0);
  const input = messages.reduce((sum, message) => sum + ofMessage(message), instructions);
  return { input, output: maxTokens, cacheRead: 0, cacheWrite: 0, isIncomplete: true };
}
