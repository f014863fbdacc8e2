/** Writing systems that put no spaces between words: a phrase in them is found anywhere. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const OF_WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Whether a text holds one of the phrases: as whole words, in any case, whatever white space stands between them. */
export function holdsPhrase(text: string, phrases: readonly string[]): boolean {
  if (phrases.length === 0) return false;
  const folded = fold(text);
  return phrases.some((phrase) => isIn(folded, fold(phrase)));
}

function isIn(text: string, phrase: string): boolean {
  if (phrase === '') return false;
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (
      isEdge(characterBefore(text, at), phrase) &&
      isEdge(characterAt(text, end), characterBefore(phrase, phrase.length))
    )
      return true;
  }
  return false;
}

/** Whether a word ends between the phrase and the character outside. @param inside begins with the phrase's own character */
function isEdge(outside: string, inside: string): boolean {
  return !isOfSpacedWord(outside) || !isOfSpacedWord(characterAt(inside, 0));
}

function isOfSpacedWord(character: string): boolean {
  return OF_WORD.test(character) && !WITHOUT_SPACES.test(character);
}

function characterAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function characterBefore(text: string, index: number): string {
  const last = text.slice(Math.max(0, index - 2), index);
  return Array.from(last).at(-1) ?? '';
}

/**
 * Full case folding of Unicode. It goes character by character, because `ς` and `σ` are one letter in any position, and through
 * capitals, because `ß` is `SS`. The Turkish `ı` stays distinct from `i`.
 */
function fold(text: string): string {
  const characters = Array.from(text.normalize('NFKC'), (character) =>
    character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
  );
  return characters.join('').normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
}
