import { MAX_TEXT_LENGTH } from '#contracts';

const OF_WORD = String.raw`\p{L}\p{N}\p{M}_`;
/** Writing systems that put no spaces between words: a phrase in them is found anywhere. */
const WITHOUT_SPACES = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}`;
/** A character of a word that has spaces around it. */
const SPACED = `[[${OF_WORD}]--[${WITHOUT_SPACES}]]`;
const BEGINS_SPACED = new RegExp(`^${SPACED}`, 'v');
const ENDS_SPACED = new RegExp(`${SPACED}$`, 'v');

/**
 * Longest text that is searched, in UTF-16 units, before and after the folding: a character may expand to 18 (U+FDFA). Longer texts
 * hold no words.
 */
const MOST_UNITS = 4 * MAX_TEXT_LENGTH;
/** Sorting a run of marks takes time by the square of its length. Unicode's stream-safe format has 30 (UAX #15). */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Settings keep their list until they change, so its phrases are folded once. */
const patterns = new WeakMap<readonly string[], RegExp>();

/** Whether a text holds one of the phrases: as whole words, in any case, whatever white space stands between them. */
export function holdsPhrase(text: string, phrases: readonly string[]): boolean {
  if (phrases.length === 0) return false;
  let pattern = patterns.get(phrases);
  if (!pattern) patterns.set(phrases, (pattern = patternOf(phrases)));
  return pattern.test(fold(text));
}

/** Matches a phrase if a word ends on each side of it. */
function patternOf(phrases: readonly string[]): RegExp {
  const folded = phrases.map(fold).filter((phrase) => phrase !== '');
  const groups = [true, false].flatMap((begins) =>
    [true, false].map((ends) => {
      const alike = folded.filter(
        (phrase) => BEGINS_SPACED.test(phrase) === begins && ENDS_SPACED.test(phrase) === ends,
      );
      const words = `(?:${alike.map(escape).join('|')})`;
      return alike.length > 0 ? `${begins ? `(?<!${SPACED})` : ''}${words}${ends ? `(?!${SPACED})` : ''}` : undefined;
    }),
  );
  // Without a phrase: a pattern that matches nothing.
  return new RegExp(groups.filter((group) => group !== undefined).join('|') || '(?!)', 'v');
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/**
 * Full case folding of Unicode. It goes through capitals, because `ß` is `SS`, and `ς` and `σ` are one letter in any position. The
 * Turkish `ı` stays distinct from `i`: in its place is U+0000, which no text has.
 */
function fold(text: string): string {
  return text
    .slice(0, MOST_UNITS)
    .replaceAll(MANY_MARKS, '$1')
    .normalize('NFKC')
    .slice(0, MOST_UNITS)
    .replaceAll('ı', '\0')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
