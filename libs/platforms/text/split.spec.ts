import * as fc from 'fast-check';
import { openedBy, fenceAfterLine, type Fence } from './fence';
import { splitFewest, splitParts, splitText } from './split';

const RUNS = { numRuns: 10_000 };
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Texts made of what cutting can get wrong. */
const pieces = fc.constantFrom(
  'word',
  'a longer sentence. ',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '```\n',
  '\n```js\n',
  '\n~~~\n',
  '\n````md\n',
  '`',
  '👨‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  'e\u0301',
  'สวัสดี',
  '漢字。',
  '\u0301',
  '\u{1F44D}\u{1F3FD}',
);
const text = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 120 }).map((list) => list.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
);
const limit = fc.integer({ min: 24, max: 90 });

/** The fence open at the end of a part; one that would fill more than half of it does not count. */
function fenceAfter(part: string, units: number): Fence | undefined {
  let open: Fence | undefined;
  for (const line of part.split('\n')) {
    const next = fenceAfterLine(line, open);
    const inserted = next ? `${next.marker}${next.info}\n\n${next.marker}`.length : 0;
    if (open || inserted <= units / 2) open = next;
  }
  return open;
}

const WAYS = [
  [splitParts.name, splitParts],
  [splitFewest.name, splitFewest],
] as const;

describe(splitFewest.name, () => {
  const paragraph = (length: number) => `${'word '.repeat(length / 5 - 1)}end.\n`;
  const lengths = (source: string, units: number, first?: number) =>
    splitFewest(source, units, first).map(({ body }) => body.length);

  it.each([
    ['three paragraphs of half a part and a bit', [2_100, 2_100, 2_100], 2],
    ['paragraphs that fill parts', [4_000, 4_000, 4_000], 3],
    ['one long paragraph and a short one', [4_200, 100], 2],
    ['ten paragraphs of a third and a bit', Array.from({ length: 10 }, () => 1_400), 4],
  ])('uses the fewest possible parts for %s', (_, paragraphs, parts) => {
    expect(splitFewest(paragraphs.map(paragraph).join('\n'), 4_096)).toHaveLength(parts);
  });

  it('cuts after a paragraph, a line or a sentence if that adds no part', () => {
    const [first, second] = ['First one. Second one.\nThird one.', 'Fourth one.'];
    expect(splitFewest(`${first}\n\n${second}`, 40).map(({ body }) => body)).toEqual([`${first}\n\n`, second]);
    expect(splitFewest('First one. Second one.\nThird one is long.', 24).map(({ body }) => body)).toEqual([
      'First one. Second one.\n',
      'Third one is long.',
    ]);
    expect(splitFewest('One is here. Two is there now', 20).map(({ body }) => body)).toEqual([
      'One is here. ',
      'Two is there now',
    ]);
  });

  it('uses the shorter limit of the caption', () => {
    const source = [1_000, 500, 3_500].map(paragraph).join('\n');
    expect(lengths(source, 4_096, 1_024)).toEqual([1_001, 4_001]);
    expect(lengths([800, 500, 3_780].map(paragraph).join('\n'), 4_096, 1_024)).toHaveLength(2);
  });

  it('cuts before the latest possible place if that saves a part', () => {
    expect(splitFewest('🇩🇪🇫🇷\n漢字。👨‍👩‍👧‍👦🇩🇪🇫🇷́\n\n', 24)).toHaveLength(2);
  });

  it('never uses more parts than splitParts', () => {
    fc.assert(
      fc.property(text, limit, (source, units) => {
        expect(splitFewest(source, units).length).toBeLessThanOrEqual(splitParts(source, units).length);
      }),
      RUNS,
    );
  });

  it.each(['word ', '\n\n', 'a', '. ', '🇩🇪', '```\n'])('cuts a long run of %j within 50 ms of CPU', (piece) => {
    const source = piece.repeat(32_768 / piece.length);
    const runs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      splitFewest(source, 4_096);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    expect(Math.min(...runs)).toBeLessThan(50);
  });
});

describe(splitText.name, () => {
  it('returns a text within the limit unchanged', () => {
    expect(splitText('hello', 5)).toEqual(['hello']);
    expect(splitText('', 5)).toEqual([]);
  });

  it.each([
    ['paragraphs', 'First one.\nAnd.\n\nSecond one', 24, ['First one.\nAnd.\n\n', 'Second one']],
    ['lines', 'The first line\nthe second line', 20, ['The first line\n', 'the second line']],
    ['sentences', 'One is here. Two is there now', 20, ['One is here. ', 'Two is there now']],
    ['words', 'alpha beta gamma delta', 12, ['alpha beta ', 'gamma delta']],
    ['CJK sentences', '今天很好。明天更好。后天', 8, ['今天很好。', '明天更好。后天']],
    ['long words', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['words rather than tiny parts', 'a bcdefghijkl', 12, ['a ', 'bcdefghijkl']],
  ])('cuts after %s', (_, source, units, parts) => {
    expect(splitText(source, units)).toEqual(parts);
  });

  it('closes a code block at a cut and opens it again with its language', () => {
    const source = '```ts\nconst first = 1;\nconst second = 2;\n```\nDone.';
    expect(splitText(source, 36)).toEqual(['```ts\nconst first = 1;\n```', '```ts\nconst second = 2;\n```\nDone.']);
  });

  it('keeps the end of a code block with it instead of leaving an empty block behind', () => {
    expect(splitText('```\nconst a = 1;\n```\nand then something', 24)).toEqual([
      '```\nconst a = 1;\n```\n',
      'and then something',
    ]);
  });

  it('treats a fence that would fill half of every part as ordinary text', () => {
    const source = `\`\`\`${'x'.repeat(20)}\ncode code code code`;
    expect(splitText(source, 24).join('')).toBe(source);
  });

  it('cuts a grapheme that is longer than a part between code points', () => {
    const flagged = '👨‍👩‍👧‍👦';
    for (const part of splitText(flagged, 4)) expect(part.isWellFormed()).toBe(true);
    expect(splitText(flagged, 4).join('')).toBe(flagged);
  });

  it('rejects a limit too small for any text', () => {
    expect(() => splitText('text', 0)).toThrow(RangeError);
  });

  it.each(WAYS)('neither loses nor adds text other than fences (%s)', (_, split) => {
    fc.assert(
      fc.property(text, limit, (source, units) => {
        const parts = split(source, units);
        expect(parts.map(({ body }) => body).join('')).toBe(source);
        const strange = parts.filter(
          ({ prefix, suffix }) =>
            (prefix !== '' && !openedBy(prefix.slice(0, -1))) || !/^(?:\n?(?:`{3,}|~{3,}))?$/.test(suffix),
        );
        expect(strange).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each(WAYS)('never exceeds the limit and leaves no part empty (%s)', (_, split) => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 90 }), (source, units) => {
        const wrong = split(source, units).filter(
          ({ prefix, body, suffix }) => body === '' || prefix.length + body.length + suffix.length > units,
        );
        expect(wrong).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each(WAYS)('never cuts a grapheme that fits in a part (%s)', (_, split) => {
    fc.assert(
      fc.property(text, limit, (source, units) => {
        const starts = new Set([...GRAPHEMES.segment(source)].map(({ index }) => index));
        const longest = Math.max(...[...GRAPHEMES.segment(source)].map(({ segment }) => segment.length));
        fc.pre(longest < units / 4);
        let at = 0;
        const broken = split(source, units).filter(({ body }) => !starts.has((at += body.length) - body.length));
        expect(broken).toEqual([]);
      }),
      RUNS,
    );
  });

  it('closes every code block at the end of each part but the last', () => {
    fc.assert(
      fc.property(text, limit, (source, units) => {
        const parts = splitText(source, units).slice(0, -1);
        expect(parts.filter((part) => fenceAfter(part, units))).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each([
    ['prose', 'The quick brown fox jumps over it. '],
    ['code', '```ts\nconst answer = 42;\n```\n'],
    ['Thai, without spaces', 'สวัสดี'],
    ['families', '👨‍👩‍👧‍👦'],
    ['one word', 'abcdefghij'],
  ])('cuts a megabyte of %s within a second of work', (_, unit) => {
    const source = unit.repeat(Math.ceil(1e6 / unit.length));
    const before = process.cpuUsage();
    splitText(source, 4096);
    // CPU time of this process: other processes do not count.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
