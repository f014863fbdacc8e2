import type { ParseMode } from '#contracts';
import { splitText } from '../../text/split';
import { escapeText } from './escape';
import { htmlToMarkdown } from './html-markdown';

/** Discord counts characters of the source, markup and backslashes included. */
export const MAX_LENGTH = 2_000;

/**
 * Cuts a text into parts that are within Discord's limit once rendered. HTML becomes markdown before it is cut, so that no
 * tag is.
 */
export function partsOf(text: string, parseMode: ParseMode): string[] {
  if (parseMode === 'plain') return splitText(text, MAX_LENGTH).flatMap(fitEscaped);
  return splitText(parseMode === 'html' ? htmlToMarkdown(text) : text, MAX_LENGTH);
}

export function render(part: string, parseMode: ParseMode): string {
  return parseMode === 'plain' ? escapeText(part) : part;
}

function fitEscaped(part: string): string[] {
  const { length } = escapeText(part);
  if (length <= MAX_LENGTH) return [part];
  // Escaping at most doubles a text: every round gets nearer, and 1,000 units always fit.
  const limit = Math.max(MAX_LENGTH / 2, Math.floor((part.length * MAX_LENGTH) / length) - 1);
  return splitText(part, Math.min(limit, part.length - 1)).flatMap(fitEscaped);
}
