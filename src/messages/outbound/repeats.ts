import type { SendFailureCode } from '#contracts';

/** Attempts of one part, in a row and for one reason, after which the gateway tried again. */
export interface Repeat {
  /** The part's index. */
  part: number;
  /** Why: a failure of the vocabulary, or markup that the platform could not read. */
  code: SendFailureCode | 'markup_rejected';
  /** ISO 8601: the first of them. */
  at: string;
  attempts: number;
  /** How long the gateway waited after them, together. */
  wait_ms: number;
}

/** The list with one more attempt: those with the same part and reason as the last become one. */
export function withRepeat(repeats: readonly Repeat[], repeat: Omit<Repeat, 'attempts'>): Repeat[] {
  const last = repeats.at(-1);
  if (last?.part !== repeat.part || last.code !== repeat.code) return [...repeats, { ...repeat, attempts: 1 }];
  const merged = { ...last, attempts: last.attempts + 1, wait_ms: last.wait_ms + repeat.wait_ms };
  return [...repeats.slice(0, -1), merged];
}
