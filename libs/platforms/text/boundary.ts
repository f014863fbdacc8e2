const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** How many code units on either side of a cut are searched to decide whether it falls into a grapheme. */
const NEIGHBOURHOOD = 256;

const among = (characters: string): ((character: string | undefined) => boolean) => {
  // A set, because it is looked up for every character of a long word: a pattern would take four times as long.
  const set: ReadonlySet<string | undefined> = new Set(characters);
  return (character) => set.has(character);
};
const isSpace = among(' \t\r\n\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u3000');
const endsSentence = among('.!?…。！？');
const endsSentenceWithoutSpace = among('。！？');
const closesQuote = among(`"'”’»)]`);

/** Where a text may be cut, the best first. */
export const BOUNDARIES = ['paragraph', 'line', 'sentence', 'word'] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** The length of the room up to its last boundary of a kind, at least `least`. @param next the character after the room */
const LAST: Readonly<Record<Boundary, (room: string, next: string | undefined, least: number) => number | undefined>> =
  {
    paragraph: (room, _next, least) => afterParagraph(room, least),
    line: (room, _next, least) => afterLine(room, least),
    sentence: afterSentence,
    word: afterWord,
  };

/** The last boundary of a kind after `start` and at most at `end`; undefined if there is none. */
export function lastBoundary(
  text: string,
  start: number,
  end: number,
  boundary: Boundary,
  least = 1,
): number | undefined {
  const room = text.slice(start, end);
  const length = LAST[boundary](room, text[end], least);
  // Platforms refuse a part of only white space.
  if (length === undefined || room.slice(0, length).trim() === '') return undefined;
  const cut = toGraphemeStart(text, start, start + length);
  return cut > start ? cut : undefined;
}

/** The last place at most at `end` between two graphemes, else between two code points. */
export function lastGrapheme(text: string, start: number, end: number): number {
  const cut = toGraphemeStart(text, start, end);
  return cut > start ? cut : toCodePointStart(text, start, end);
}

/**
 * The best place after `start` and at most at `end` to cut the text: after a paragraph, a line, a sentence or a word
 * that fills at least half of the room, else after any line or word, else between graphemes, else between code points.
 * `end` must lie within the text. White space before the cut belongs to what precedes it.
 */
export function findBoundary(text: string, start: number, end: number): number {
  const half = Math.ceil((end - start) / 2);
  const wanted = [...BOUNDARIES.map((kind) => [kind, half] as const), ['line', 1], ['word', 1]] as const;
  for (const [kind, least] of wanted) {
    const cut = lastBoundary(text, start, end, kind, least);
    if (cut !== undefined) return cut;
  }
  return lastGrapheme(text, start, end);
}

function afterParagraph(room: string, least: number): number | undefined {
  const at = room.lastIndexOf('\n\n');
  return at >= 0 && at + 2 >= least ? at + 2 : undefined;
}

function afterLine(room: string, least: number): number | undefined {
  const at = room.lastIndexOf('\n');
  return at >= 0 && at + 1 >= least ? at + 1 : undefined;
}

/** The position after the white space that follows a full stop (or the quote after it). @param next the character after the room */
function afterSentence(room: string, next: string | undefined, least: number): number | undefined {
  for (let at = room.length; at >= least; at -= 1) {
    const last = room[at - 1];
    if (!isSpace(last)) {
      // CJK full stops need no space after them; the others do, or 3.14 would be two sentences.
      if (endsSentenceWithoutSpace(last)) return at;
      if (at < room.length || !isSpace(next) || !isSentenceEnd(room, at)) continue;
      return at;
    }
    let word = at;
    while (word > 0 && isSpace(room[word - 1])) word -= 1;
    if (isSentenceEnd(room, word)) return at;
    at = word + 1;
  }
  return undefined;
}

function isSentenceEnd(room: string, at: number): boolean {
  const last = room[at - 1];
  return endsSentence(last) || (closesQuote(last) && endsSentence(room[at - 2]));
}

function afterWord(room: string, next: string | undefined, least: number): number | undefined {
  if (isSpace(next) && !isSpace(room.at(-1))) return room.length;
  for (let at = room.length; at >= least; at -= 1) if (isSpace(room[at - 1])) return at;
  return undefined;
}

/** The start of the grapheme that `cut` falls into, or `cut` itself where it falls between two. */
function toGraphemeStart(text: string, start: number, cut: number): number {
  if (isPlain(text, cut - 1) && isPlain(text, cut) && text[cut] !== '\n') return cut;
  const from = graphemeStartBefore(text, start, cut);
  const slice = text.slice(from, cut + NEIGHBOURHOOD);
  return from + (GRAPHEMES.segment(slice).containing(cut - from)?.index ?? cut - from);
}

/**
 * A place before the cut where a grapheme surely starts: between two ASCII characters, else the start of the part.
 * In a run of flags only the parity from its start tells where a flag begins, so without ASCII the part is read from its start.
 */
function graphemeStartBefore(text: string, start: number, cut: number): number {
  for (let at = cut - 1; at > start; at -= 1) {
    if (isPlain(text, at - 1) && isPlain(text, at) && text[at] !== '\n') return at;
  }
  return start;
}

function isPlain(text: string, at: number): boolean {
  return text.charCodeAt(at) < 0x80;
}

function toCodePointStart(text: string, start: number, end: number): number {
  const splitsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1));
  return splitsPair && end - 1 > start ? end - 1 : end;
}
