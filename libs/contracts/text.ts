/** Longest message text, in Unicode code points. */
export const MAX_TEXT_LENGTH = 16_384;

/**
 * An external text in a form that PostgreSQL can store: without NUL, which it does not accept, and with U+FFFD in place
 * of lone surrogates, which have no UTF-8 form.
 * @param maximum cuts the text to so many UTF-16 units; half a surrogate pair at the cut becomes U+FFFD
 */
export function sanitizeText(text: string, maximum = Infinity): string {
  return text.slice(0, maximum).toWellFormed().replaceAll('\u0000', '');
}

/**
 * Characters that are not shown, or change the order in which others are: controls, lone surrogates, line separators, and format
 * characters. A zero-width joiner or non-joiner and tags stay: Persian words and emoji need them.
 */
const MISLEADING = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A name that others gave, such as a file's, without characters that make it look like another name. */
export function withoutMisleading(name: string): string {
  return name.replace(MISLEADING, '');
}

/**
 * Why a text cannot be a message, or undefined when it can: 1 to 16,384 code points, no NUL (PostgreSQL cannot store
 * it) and no lone surrogate (it has no UTF-8 form).
 */
export function textFault(text: string, maximum = MAX_TEXT_LENGTH): string | undefined {
  if (text.length === 0) return 'must not be empty';
  if (text.includes('\u0000')) return 'must not contain NUL characters';
  if (!text.isWellFormed()) return 'must not contain lone surrogates';
  return isLonger(text, maximum) ? `must be at most ${maximum} characters` : undefined;
}

/** A text of at most so many code points: a longer one ends in `…` there. */
export function cutText(text: string, maximum = MAX_TEXT_LENGTH): string {
  if (!isLonger(text, maximum)) return text;
  let end = 0;
  for (let kept = 1; kept < maximum; kept += 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return `${text.slice(0, end)}…`;
}

/** Whether a text has more than so many code points. The UTF-16 units decide for most texts: a code point has one or two. */
function isLonger(text: string, maximum: number): boolean {
  if (text.length <= maximum) return false;
  return text.length > 2 * maximum || codePointsOf(text) > maximum;
}

/** The number of code points in a text. Building a list of them takes fifty times as long: 50 ms for 1 MiB. */
export function codePointsOf(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    if (isPair) count -= 1;
  }
  return count;
}
