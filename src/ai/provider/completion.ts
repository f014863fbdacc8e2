import { sanitizeText } from '#contracts';
import { afterSpending, AiProviderError } from './ai-provider.error';
import type { AiCompletion, AiStopReason, AiTokens } from './ai-provider.port';

/** A rough figure for English text. */
const BYTES_PER_TOKEN = 4;

/** No answer of a model is longer, in UTF-16 units: a faulty server must not fill the memory. */
const MAX_TEXT = 4_000_000;

export type Answered = Omit<AiCompletion, 'latencyMs' | 'stopReason'>;

/**
 * @param reason why the model stopped; `refusal`: it declined
 * @throws AiProviderError `refusal` if the model declined, perhaps in the middle of its text; `empty_response` if there is no text.
 * The provider bills the tokens nevertheless.
 */
export function completionOf(answered: Answered, reason: AiStopReason | 'refusal', startedAt: number): AiCompletion {
  const { text, toolCalls } = answered;
  const isEmpty = text.trim() === '' && !toolCalls;
  // An answer without tokens is absurd: the most that the call could cost is charged.
  const tokens = isEmpty || answered.tokens.output > 0 ? answered.tokens : { ...answered.tokens, isIncomplete: true };
  if (reason === 'refusal')
    throw new AiProviderError('refusal', 'The AI provider declined to answer', { retryable: false, tokens });
  if (isEmpty) {
    const why =
      reason === 'max_tokens'
        ? 'The answer has no text: max_tokens was used up before the text began'
        : 'The AI provider answered without text';
    throw new AiProviderError('empty_response', why, { retryable: false, tokens });
  }
  return { ...answered, tokens, latencyMs: Math.round(performance.now() - startedAt), stopReason: reason };
}

/** The text of an answer that arrives in pieces: the first half of a surrogate pair waits for the second half. */
export class TextPieces {
  text = '';
  private half = '';

  /** @returns what can be passed on @throws AiProviderError if the text is absurdly long */
  add(piece: string): string {
    const text = this.half + piece;
    this.half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    if (this.text.length + text.length > MAX_TEXT)
      throw new AiProviderError('unavailable', 'The AI provider’s answer is too long', { retryable: false });
    return this.take(this.half ? text.slice(0, -1) : text);
  }

  end(): string {
    return this.take(this.half);
  }

  private take(raw: string): string {
    const text = sanitizeText(raw);
    this.text += text;
    return text;
  }
}

/**
 * The provider bills the tokens that it read and wrote before a stream broke off. It reports the written ones only at the
 * end of a stream, so this estimates them.
 */
export function brokenOff(error: AiProviderError, tokens: AiTokens | undefined, text: string): AiProviderError {
  if (!tokens && text === '') return error;
  const written = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
  const known = tokens ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return afterSpending({ ...known, output: Math.max(known.output, written), isIncomplete: true }, error);
}

export function interrupted(): AiProviderError {
  return new AiProviderError('unavailable', 'The AI provider interrupted its answer', { retryable: true });
}
