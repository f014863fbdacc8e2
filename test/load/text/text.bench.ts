import type { ParseMode } from '#contracts';
import { partsOf, render } from '../../../libs/platforms/discord/outbound/rendering';
import { renderTelegramHtml } from '../../../libs/platforms/text/markdown-html';
import { splitText } from '../../../libs/platforms/text/split';
import { renderWhatsApp } from '../../../libs/platforms/whatsapp/outbound/markup';
import type { Bench } from '../bench.port';
import { ORDINARY, PATHOLOGICAL } from './texts';

/** Splits and renders a text. @returns the length of the result */
type DueWork = (text: string, mode: ParseMode) => number;

/** The lowest acceptable throughput, in MB of UTF-8 per second on one core. */
const GOAL = 1;
/** How many times as long a text of twice the length may take: 2 is linear, 4 quadratic; 3 allows for noise. */
const GROWTH = 3;
const ROUNDS = 3;
/** Minimum CPU time of a round, in microseconds. */
const ROUND_US = 15_000;
const MODES: readonly ParseMode[] = ['plain', 'markdown', 'html'];

const total = (parts: readonly string[], rendered: (part: string) => string): number =>
  parts.reduce((length, part) => length + rendered(part).length, 0);

const PLATFORMS: Readonly<Record<string, DueWork>> = {
  telegram: (text, mode) =>
    total(splitText(text, 4_096), (part) => (mode === 'markdown' ? renderTelegramHtml(part) : part)),
  discord: (text, mode) => total(partsOf(text, mode), (part) => render(part, mode)),
  whatsapp: (text, mode) => total(splitText(text, 4_096), (part) => renderWhatsApp(part, mode, 4_096)),
};

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The minimum work of a splitter that looks at every grapheme. */
const segment: DueWork = (text) => {
  let count = 0;
  for (const _ of GRAPHEMES.segment(text)) count += 1;
  return count;
};

/** How fast one core splits texts into parts and renders each platform's markup, without a server. */
export const TEXT: Bench = {
  description: 'cutting and rendering of texts for each platform, beside a bare pass over their graphemes',
  async run() {
    const texts = Object.values(ORDINARY);
    const bare = throughput(segment, texts, 'plain');
    console.log(
      `\nordinary texts, ${texts.length} kinds of 16,384 characters, MB/s (and × a bare Intl.Segmenter pass: ${mb(bare)})`,
    );
    for (const [platform, work] of Object.entries(PLATFORMS)) {
      for (const mode of MODES) {
        const rate = throughput(work, texts, mode);
        const kinds = Object.entries(ORDINARY).map(([name, text]) => [name, throughput(work, [text], mode)] as const);
        const [slowest, least] = kinds.reduce((one, other) => (other[1] < one[1] ? other : one));
        console.log(
          `  ${platform.padEnd(8)} ${mode.padEnd(8)} ${mb(rate)} (${(rate / bare).toFixed(2)}), slowest kind ${slowest}: ` +
            `${mb(least)} (goal at least ${GOAL}: ${verdict(least >= GOAL)})`,
        );
      }
    }
    console.log(`\nhostile texts: the slowest, and the steepest growth from 65,536 characters to twice as many`);
    for (const [platform, work] of Object.entries(PLATFORMS)) for (const mode of MODES) hostile(platform, work, mode);
  },
};

function hostile(platform: string, work: DueWork, mode: ParseMode): void {
  const measured = Object.entries(PATHOLOGICAL).map(([name, text]) => {
    const rate = throughput(work, [text], mode);
    // Longer than a message may be. In a short text, the last part, which needs no cut, would distort the growth.
    const [once, twice] = [text.repeat(4), text.repeat(8)];
    const ratios = Array.from({ length: ROUNDS }, () => round(work, [twice], mode) / round(work, [once], mode));
    return { name, rate, growth: Math.min(...ratios) };
  });
  const slowest = measured.reduce((one, other) => (other.rate < one.rate ? other : one));
  const steepest = measured.reduce((one, other) => (other.growth > one.growth ? other : one));
  console.log(
    `  ${platform.padEnd(8)} ${mode.padEnd(8)} ${slowest.name}: ${mb(slowest.rate)} (goal at least ${GOAL}: ${verdict(slowest.rate >= GOAL)}), ` +
      `${steepest.name}: × ${steepest.growth.toFixed(1)} (goal at most ${GROWTH}: ${verdict(steepest.growth <= GROWTH)})`,
  );
}

/** MB of UTF-8 per second. */
function throughput(work: DueWork, texts: readonly string[], mode: ParseMode): number {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes / 1e6 / seconds(work, texts, mode);
}

function seconds(work: DueWork, texts: readonly string[], mode: ParseMode): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => round(work, texts, mode)));
}

/** Seconds of CPU time per pass, so that other processes matter little. Repeats the work until it is measurable. */
function round(work: DueWork, texts: readonly string[], mode: ParseMode): number {
  const before = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    for (const text of texts) if (work(text, mode) === 0) throw new Error('nothing is left of a text');
    const { user, system } = process.cpuUsage(before);
    if (user + system > ROUND_US) return (user + system) / times / 1e6;
  }
}

function mb(rate: number): string {
  return rate.toFixed(1).padStart(5);
}

function verdict(met: boolean): string {
  return met ? 'met' : 'MISSED';
}
