import type { Conversation } from '#client';
import { durationInWords } from '../../../format/time';

type Window = NonNullable<Conversation['window']>;

/** Uses `expires_at` instead of `open`, because the window may close while the page shows it. */
export function windowInWords({ expires_at }: Window, now: number): { isOpen: boolean; text: string } {
  if (expires_at === null) return { isOpen: false, text: 'Window unknown: the person has not written yet' };
  const seconds = (Date.parse(expires_at) - now) / 1_000;
  if (seconds <= 0) return { isOpen: false, text: 'Window closed: only templates' };
  return { isOpen: true, text: `Window open for ${durationInWords(seconds)}` };
}
