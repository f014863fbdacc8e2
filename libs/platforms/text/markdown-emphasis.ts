/** Finished HTML, or a run of `*`, `_` or `~` with the characters around it. */
export type InlineToken = { html: string } | { run: string; before: string | undefined; after: string | undefined };

interface Delimiter {
  /** Index among the tokens. */
  place: number;
  character: string;
  length: number;
  /** How many characters of the run are not used up yet: they are shown as they are. */
  left: number;
  canOpen: boolean;
  canClose: boolean;
  /** Tags that the run turned into: closing ones stand before what is left of it, opening ones after. */
  closing: string;
  opening: string;
}

const TAGS: Readonly<Record<string, readonly [one: string | undefined, two: string]>> = {
  '*': ['i', 'b'],
  _: ['i', 'b'],
  '~': [undefined, 's'],
};

/**
 * Pairs the delimiter runs as CommonMark's "process emphasis" does
 * (https://spec.commonmark.org/0.31.2/#phase-2-inline-structure) and joins the tokens. Whatever lies between a pair is
 * closed to pairs with the outside: that keeps tags from crossing.
 */
export function resolveEmphasis(tokens: readonly InlineToken[]): string {
  const parts = tokens.map((token, place) => ('run' in token ? delimiter(token, place) : token.html));
  const openers: Delimiter[] = [];
  const searched: Searched = new Map();
  for (const part of parts) {
    if (typeof part === 'string') continue;
    while (part.canClose && part.left > 0) {
      const at = lastOpener(openers, part, searched);
      const opener = openers[at];
      if (!opener) break;
      const { tag, used } = tagOfPair(opener, part)!;
      openers.length = at + 1;
      opener.left -= used;
      part.left -= used;
      opener.opening = `<${tag}>${opener.opening}`;
      part.closing += `</${tag}>`;
      if (opener.left === 0) openers.pop();
    }
    if (part.canOpen && part.left > 0) openers.push(part);
  }
  return parts.map((part) => (typeof part === 'string' ? part : shown(part))).join('');
}

/**
 * Of each kind of closer, the place before which no opener pairs with one (CommonMark's "openers_bottom"): a text of closers
 * without openers would be searched to its beginning by each of them.
 */
type Searched = Map<string, number>;

function lastOpener(openers: readonly Delimiter[], closer: Delimiter, searched: Searched): number {
  const kind = `${closer.character}${closer.length % 3}${closer.left > 1}${closer.canOpen}`;
  const first = searched.get(kind) ?? 0;
  for (let at = openers.length - 1; at >= 0 && openers[at]!.place >= first; at -= 1) {
    if (tagOfPair(openers[at]!, closer)) return at;
  }
  searched.set(kind, closer.place);
  return -1;
}

function shown({ closing, character, left, opening }: Delimiter): string {
  return closing + character.repeat(left) + opening;
}

function tagOfPair(opener: Delimiter, closer: Delimiter): { tag: string; used: number } | undefined {
  if (opener.character !== closer.character) return undefined;
  // `*foo**bar*`: a run that could do both pairs only if the lengths do not add up to a multiple of three.
  const both = opener.canClose || closer.canOpen;
  const multiples = opener.length % 3 === 0 && closer.length % 3 === 0;
  if (both && (opener.length + closer.length) % 3 === 0 && !multiples) return undefined;
  const [one, two] = TAGS[opener.character] ?? [];
  if (two && opener.left >= 2 && closer.left >= 2) return { tag: two, used: 2 };
  return one ? { tag: one, used: 1 } : undefined;
}

function delimiter({ run, before, after }: { run: string; before?: string; after?: string }, place: number): Delimiter {
  const opens = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const ends = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  const character = run[0] ?? '';
  // snake_case_names are words, not emphasis.
  const inWord = character === '_' && opens && ends;
  return {
    place,
    character,
    length: run.length,
    left: run.length,
    canOpen: opens && !(inWord && !isPunctuation(before)),
    canClose: ends && !(inWord && !isPunctuation(after)),
    closing: '',
    opening: '',
  };
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function isPunctuation(character: string | undefined): boolean {
  return character !== undefined && /[\p{P}\p{S}]/u.test(character);
}
