import * as fc from 'fast-check';
import { MAX_TEXT_LENGTH } from '#contracts';
import { type Fence, fenceAfterLine } from '../../libs/platforms/text/fence';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What cutting or rendering can get wrong, and what most texts are made of. */
const PIECES = [
  'A sentence of the usual kind, with a few words. ',
  'word ',
  'word',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '```\n',
  '\n```js\nconst answer = 42;\n',
  '\n~~~\n',
  '\n````md\n',
  '`',
  '*',
  '**bold** ',
  '_',
  '[link](https://a.example/x_y) ',
  '\n> quoted',
  '\n- item',
  '# ',
  '<b>bold</b>',
  '<i>',
  '</i>',
  '<a href="https://a.example">',
  '&amp;',
  '<',
  '\\',
  '👨‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '\u{1F44D}\u{1F3FD}',
  'e\u0301',
  '\u0301',
  'สวัสดีชาวโลก',
  '漢字かな。',
  '한국어',
  '\u200d',
];
const piece = fc.constantFrom(...PIECES);
/** Repeated few or many times: parts are filled by little that a failure must be made smaller by. */
const run = fc
  .tuple(piece, piece, fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 50, max: 250 })))
  .map(([one, other, times]) => (one + other).repeat(times));

/** Texts as the gateway takes them. */
export const texts = fc
  .array(run, { minLength: 1, maxLength: 5 })
  .map((runs) => runs.join('').slice(0, MAX_TEXT_LENGTH).toWellFormed())
  .filter((text) => text.trim() !== '');

const DISCORD_MARKS =
  '_ __ * ** ~ ~~ | || ` \\ [ ] ]( ) < > # - 1. : . @ <@1> <:a:1> a b1 ä https://a.example/b_ https://a.example/x](y)'
    .split(' ')
    .concat(' ', '\n');

/** Short texts of little else. What cannot be escaped is left out: an address in `<>`, and a `<` that ends one. */
export const discordMarks = fc
  .array(fc.constantFrom(...DISCORD_MARKS), { minLength: 1, maxLength: 14 })
  .map((marks) => marks.join(''))
  .filter((text) => !/<http|https?:\S+</.test(text));

/** Where each part ends in the text that they were cut from. */
export type Cuts = number[];

/**
 * Finds the parts in the text again: joined, they must be it, but for what is documented: a fence that is closed at the
 * end of a part and opened again in the next, and parts of white space alone, which are not sent. Undefined if they are not.
 */
export function cutsOf(text: string, parts: readonly string[], from = 0): Cuts | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return text.slice(from).trim() === '' ? [] : undefined;
  for (const body of bodiesOf(part)) {
    for (const start of startsOf(text, from, body)) {
      const end = start + body.length;
      const further = cutsOf(text, rest, end);
      if (further) return [end, ...further];
    }
  }
  return undefined;
}

/** What a part may be once the fences around it are taken off. */
function bodiesOf(part: string): string[] {
  const bodies = [part];
  const opened = /^(?:`{3,}[^`\n]*|~{3,}[^\n]*)\n/.exec(part)?.[0];
  if (opened) bodies.push(part.slice(opened.length));
  return bodies.flatMap((body) => {
    const closed = /\n?(?:`{3,}|~{3,})$/.exec(body)?.[0];
    if (!closed) return [body];
    const kept = closed.startsWith('\n') ? [body.slice(0, 1 - closed.length)] : [];
    return [body, ...kept, body.slice(0, -closed.length)];
  });
}

function startsOf(text: string, from: number, body: string): number[] {
  const blank = text.slice(from).length - text.slice(from).trimStart().length;
  const starts = Array.from({ length: blank + 1 }, (_, skipped) => from + skipped);
  return starts.filter((start) => text.startsWith(body, start));
}

/** Whether a grapheme that would fit well into a part lies across the place. */
export function breaksGrapheme(text: string, at: number, limit: number): boolean {
  const grapheme = GRAPHEMES.segment(text).containing(at);
  return grapheme !== undefined && grapheme.index !== at && grapheme.segment.length < limit / 4;
}

/** Whether the part ends within a code block; a fence that would fill half of it counts as text. */
export function leavesFenceOpen(part: string, limit: number): boolean {
  let open: Fence | undefined;
  for (const line of part.split('\n')) {
    const next = fenceAfterLine(line, open);
    const inserted = next ? `${next.marker}${next.info}\n\n${next.marker}`.length : 0;
    if (open || inserted <= limit / 2) open = next;
  }
  return open !== undefined;
}
