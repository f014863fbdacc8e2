import { BOUNDARIES, findBoundary, lastBoundary, lastGrapheme } from './boundary';
import { closes, type Fence, fenceAfterLine, openedBy } from './fence';

/** A part of a text, and what was put around it to keep its code blocks whole. */
export interface TextPart {
  /** The opening line of a code fence that the cut before this part fell into, or empty. */
  prefix: string;
  /** The slice of the text. */
  body: string;
  /** The end of a code fence that the cut after this part falls into, or empty. */
  suffix: string;
}

/**
 * Cuts a text into parts of at most `maxUtf16Units` UTF-16 code units (an integer from 1), none empty: after a
 * paragraph, a line, a sentence or a word, else between graphemes. A grapheme longer than a part is cut between code
 * points; a surrogate pair only if a part is one unit.
 *
 * A code fence that is open at a cut is closed at the end of the part and opened again, with its info string, at the
 * start of the next. Without what that inserts, the parts joined are exactly the text: white space at a cut stays at the
 * end of the earlier part (a line's indentation with its line), and starts the later one only where the earlier is full. A fence whose opening and closing
 * lines would fill more than half of a part is cut like any other text.
 *
 * Fences are recognised in the part as it will be shown: three backticks that come to stand at the start of a part are
 * a fence there, whatever they were in the text.
 */
export function splitText(text: string, maxUtf16Units: number): string[] {
  return splitParts(text, maxUtf16Units).map(({ prefix, body, suffix }) => prefix + body + suffix);
}

/** {@link splitText}, with what was inserted kept apart. */
export function splitParts(text: string, limit: number): TextPart[] {
  assertLimit(limit);
  const parts: TextPart[] = [];
  for (let at = BEGINNING; at.start < text.length;) {
    const { part, next } = partFrom(text, at, limit, findBoundary)!;
    parts.push(part);
    at = next;
  }
  return parts;
}

/**
 * {@link splitParts} for a platform that bills each part: as few parts as cuts between words allow. Within that number each
 * part ends after its last paragraph, else its last line, else its last sentence.
 * @param first the limit of the first part (a caption)
 */
export function splitFewest(text: string, limit: number, first = limit): TextPart[] {
  assertLimit(Math.min(limit, first));
  const parts: TextPart[] = [];
  let left = countFrom(text, BEGINNING, limit, first);
  for (let at = BEGINNING; at.start < text.length;) {
    const room = parts.length === 0 ? first : limit;
    left -= 1;
    const { part, next } = bestPart(text, at, room, limit, left);
    parts.push(part);
    at = next;
  }
  if (first !== limit) return parts;
  // A cut that is not the latest possible one can save a part: graphemes and white space fill parts unevenly.
  const usual = splitParts(text, limit);
  return usual.length < parts.length ? usual : parts;
}

/** @param left how many parts may follow */
function bestPart(text: string, at: Position, room: number, limit: number, left: number): Part {
  for (const kind of BOUNDARIES) {
    const found = partFrom(text, at, room, (...place) => lastBoundary(...place, kind));
    if (found && countFrom(text, found.next, limit, limit, left) <= left) return found;
  }
  return partFrom(text, at, room, lastWord)!;
}

function assertLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`a part must have at least 1 code unit, not ${limit}`);
}

/** How many parts follow if each is as long as words allow. Stops counting above `most`. */
function countFrom(text: string, from: Position, limit: number, first: number, most = Infinity): number {
  let count = 0;
  for (let at = from; at.start < text.length && count <= most; count += 1)
    at = partFrom(text, at, count === 0 ? first : limit, lastWord)!.next;
  return count;
}

type Find = (text: string, start: number, end: number) => number | undefined;

const lastWord: Find = (...place) => lastBoundary(...place, 'word') ?? lastGrapheme(...place);

interface Position {
  start: number;
  open: Fence | undefined;
}

const BEGINNING: Position = { start: 0, open: undefined };

interface Part {
  part: TextPart;
  next: Position;
}

/** The part at a position, and where the next one begins. Undefined if `find` finds no place for the cut. */
function partFrom(text: string, { start, open }: Position, limit: number, find: Find): Part | undefined {
  const prefix = open ? openingOf(open) : '';
  // A fence that the author left open stays open at the end of the text.
  if (prefix.length + text.length - start <= limit)
    return { part: { prefix, body: text.slice(start), suffix: '' }, next: { start: text.length, open: undefined } };
  const cut = cutAfter(text, start, limit - prefix.length, open, limit, find);
  return (
    cut && {
      part: { prefix, body: text.slice(start, cut.end), suffix: cut.suffix },
      next: { start: cut.end, open: cut.open },
    }
  );
}

interface Cut {
  end: number;
  open: Fence | undefined;
  suffix: string;
}

/** Where the part from `start` ends, so that it and its suffix have at most `room` units. */
function cutAfter(
  text: string,
  start: number,
  room: number,
  openBefore: Fence | undefined,
  limit: number,
  find: Find,
): Cut | undefined {
  let reserved = 0;
  for (;;) {
    const place = find(text, start, start + room - reserved);
    if (place === undefined) return undefined;
    const end = avoidFenceLine(text, start, place);
    const open = fenceAt(text, start, end, openBefore, limit);
    if (!open) return { end, open, suffix: '' };

    const closingLine = lineIn(text, end, end + room + 1);
    const atLineStart = text[end - 1] === '\n';
    if (atLineStart && closes(closingLine, open) && end - start + closingLine.length <= room) {
      // The block ends right here: take its own last line instead of inserting one.
      const lineFeed = text[end + closingLine.length] === '\n' && end - start + closingLine.length < room ? 1 : 0;
      return { end: end + closingLine.length + lineFeed, open: undefined, suffix: '' };
    }
    const suffix = (atLineStart ? '' : '\n') + open.marker;
    if (end - start + suffix.length <= room) return { end, open, suffix };
    reserved = Math.max(reserved + 1, open.marker.length + 1);
  }
}

/** Moves a cut out of a fence's line, and away from the end of its opening line, unless the part would become empty. */
function avoidFenceLine(text: string, start: number, end: number): number {
  const lineStart = lastLineStart(text, start, end);
  if (lineStart > start && lineStart < end) {
    return isFenceLike(lineIn(text, lineStart, lineStart + FENCE_START)) ? lineStart : end;
  }
  if (lineStart === end && end > start) {
    const previous = lastLineStart(text, start, end - 1);
    // Only an opening line has an info string; a bare marker may as well close a fence.
    if (previous > start && openedBy(lineIn(text, previous, end))?.info) return previous;
  }
  return end;
}

/** How many characters show whether a line opens or closes a fence: three spaces and three marks. */
const FENCE_START = 6;

function isFenceLike(line: string): boolean {
  return /^ {0,3}(?:```|~~~)/.test(line);
}

/** The line at `from`, up to `to` at most: otherwise a text of one line would be searched to its end for each part. */
function lineIn(text: string, from: number, to: number): string {
  const room = text.slice(from, to);
  const lineFeed = room.indexOf('\n');
  return lineFeed === -1 ? room : room.slice(0, lineFeed);
}

/** After the last line feed between `start` and `end`, or `start`. */
function lastLineStart(text: string, start: number, end: number): number {
  return start + text.slice(start, end).lastIndexOf('\n') + 1;
}

/** The fence that is open after the part's text; a fence too long to be opened again within `limit` does not count. */
function fenceAt(text: string, start: number, end: number, open: Fence | undefined, limit: number): Fence | undefined {
  let fence = open;
  for (const line of text.slice(start, end).split('\n')) {
    const next = fenceAfterLine(line, fence);
    if (fence || !next || openingOf(next).length + next.marker.length + 1 <= limit / 2) fence = next;
  }
  return fence;
}

function openingOf({ marker, info }: Fence): string {
  return `${marker}${info}\n`;
}
