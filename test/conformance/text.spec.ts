import * as fc from 'fast-check';
import { MAX_TEXT_LENGTH, type ParseMode, textFault } from '#contracts';
import { render } from '../../libs/platforms/discord/outbound/rendering';
import { showText } from '../fakes/discord-text';
import type { ConformanceHarness } from './harness';
import { PLAIN } from './session';
import { TEXT_PLATFORMS } from './text-platforms';
import { breaksGrapheme, cutsOf, discordMarks, leavesFenceOpen, texts } from './text-properties';

const MODES: readonly ParseMode[] = ['plain', 'markdown', 'html'];
const RUNS = 10_000;
/** Fixed, so that every run tests the same texts: a new failure comes from a code change. */
const SEED = 20_260_203;

describe.each(TEXT_PLATFORMS)('a text on $name', ({ start, source, counted, fences }) => {
  let harness: ConformanceHarness;
  beforeAll(async () => void (harness = await start()));
  afterAll(() => harness.stop());

  it('is split and rendered without loss, within the limit and between graphemes', () => {
    const { adapter } = harness;
    const limit = adapter.capabilities.maxTextLength;
    fc.assert(
      fc.property(texts, fc.constantFrom(...MODES), (text, parseMode) => {
        const parts = adapter.split(text, { ...PLAIN, parseMode });
        const whole = source(text, parseMode);
        const faults = parts.flatMap(({ text: part, index }) => {
          const { length } = counted(part, parseMode);
          const isLast = index === parts.length - 1;
          return [
            length > limit && `part ${index} counts ${length}`,
            part.trim() === '' && `part ${index} is empty`,
            !isLast && fences(parseMode) && leavesFenceOpen(part, limit) && `part ${index} leaves a code block open`,
          ];
        });
        const cuts = cutsOf(
          whole,
          parts.map(({ text: part }) => part),
        );
        const broken = cuts?.filter((at) => at < whole.length && breaksGrapheme(whole, at, limit));
        expect({ faults: faults.filter(Boolean), broken }).toEqual({ faults: [], broken: [] });
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

it.each([
  ['ordinary characters', texts, 2_000],
  ['Discord markup', discordMarks, 50_000],
])('a plain text of %s is shown on Discord unchanged', (_what, sources, numRuns) => {
  fc.assert(
    fc.property(sources, (text) => {
      const part = text.slice(0, 1_000).toWellFormed();
      expect(showText(render(part, 'plain'))).toEqual({ text: part.trim(), formatted: false });
    }),
    { numRuns, seed: SEED },
  );
});

it('is tested with valid texts, many of which must be split', () => {
  const sample = fc.sample(texts, { numRuns: 500, seed: SEED });
  expect(sample.filter((text) => textFault(text) !== undefined)).toEqual([]);
  expect(sample.filter(({ length }) => length > 4_096 && length <= MAX_TEXT_LENGTH).length).toBeGreaterThan(100);
});
