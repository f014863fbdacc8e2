import type { SendFailureCode } from '#contracts';

/** Consecutive attempts of one part that the gateway retried for the same reason. */
export interface Repeat {
  /** The part's index. */
  part: number;
  /** The reason: a send failure, or markup that the platform could not read. */
  code: SendFailureCode | 'markup_rejected';
  /** ISO 8601: when the first of them was made. */
  at: string;
  attempts: number;
  /** The sum of the waits after them. */
  wait_ms: number;
}

/** The list with one more attempt, merged into the last entry if that has the same part and reason. */
export function withRepeat(repeats: readonly Repeat[], repeat: Omit<Repeat, 'attempts'>): Repeat[] {
  const last = repeats.at(-1);
  if (last?.part !== repeat.part || last.code !== repeat.code) return [...repeats, { ...repeat, attempts: 1 }];
  const merged = { ...last, attempts: last.attempts + 1, wait_ms: last.wait_ms + repeat.wait_ms };
  return [...repeats.slice(0, -1), merged];
}
