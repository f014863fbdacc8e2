import * as fc from 'fast-check';
import { MAX_TEXT_LENGTH } from '#contracts';
import { type Fence, fenceAfterLine } from '../../libs/platforms/text/fence';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Ordinary text, and pieces that a cut or a rendering may break. */
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
/** Pieces repeated few or many times: long texts that fast-check can still shrink quickly. */
const run = fc
  .tuple(piece, piece, fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 50, max: 250 })))
  .map(([one, other, times]) => (one + other).repeat(times));

/** Texts that the gateway accepts. */
export const texts = fc
  .array(run, { minLength: 1, maxLength: 5 })
  .map((runs) => runs.join('').slice(0, MAX_TEXT_LENGTH).toWellFormed())
  .filter((text) => text.trim() !== '');

const DISCORD_MARKS =
  '_ __ * ** ~ ~~ | || ` \\ [ ] ]( ) < > # - 1. : . @ <@1> <:a:1> a b1 ä https://a.example/b_ https://a.example/x](y)'
    .split(' ')
    .concat(' ', '\n');

/** Short texts of Discord's marks. Without URLs in `<>` and URLs before a `<`: those cannot be escaped. */
export const discordMarks = fc
  .array(fc.constantFrom(...DISCORD_MARKS), { minLength: 1, maxLength: 14 })
  .map((marks) => marks.join(''))
  .filter((text) => !/<http|https?:\S+</.test(text));

/** The end of each part within the original text. */
export type Cuts = number[];

/**
 * Finds the parts in the text. Joined, they must be the text, except for fences that the adapter closes at the end of a part
 * and reopens in the next, and for parts of white space alone, which it drops. Undefined if they are not.
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

/** A part with and without the fences that the adapter may have added. */
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

/** Whether a cut at `at` splits a grapheme. Graphemes of a quarter of the limit or more may be split. */
export function breaksGrapheme(text: string, at: number, limit: number): boolean {
  const grapheme = GRAPHEMES.segment(text).containing(at);
  return grapheme !== undefined && grapheme.index !== at && grapheme.segment.length < limit / 4;
}

/** Whether the part ends within a code block. A fence of more than half the limit counts as text. */
export function leavesFenceOpen(part: string, limit: number): boolean {
  let open: Fence | undefined;
  for (const line of part.split('\n')) {
    const next = fenceAfterLine(line, open);
    const inserted = next ? `${next.marker}${next.info}\n\n${next.marker}`.length : 0;
    if (open || inserted <= limit / 2) open = next;
  }
  return open !== undefined;
}
