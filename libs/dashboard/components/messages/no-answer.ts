import type { Conversation } from '#client';
import { inViewersZone } from '../../format/time';

/** One sentence: why the newest message has no answer, and when the gateway tries again. */
export function noAnswer({ message, next_try_at }: NonNullable<Conversation['last_error']>): string {
  const reason = message === null ? 'No answer.' : `No answer: ${inSentence(message)}.`;
  return next_try_at === null ? reason : `${reason} Next try ${inViewersZone(next_try_at, 'seconds')}.`;
}

/** An abbreviation such as “AI” keeps its capitals. */
function inSentence(message: string): string {
  const isWord = /^[A-Z][a-z]/.test(message);
  return `${isWord ? message[0]!.toLowerCase() : message[0]!}${message.slice(1).replace(/\.$/, '')}`;
}
