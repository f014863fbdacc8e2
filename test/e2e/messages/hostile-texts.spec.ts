import { partsOf, render } from '../../../libs/platforms/discord/outbound/rendering';
import { renderTelegramHtml } from '../../../libs/platforms/text/markdown-html';
import { splitFewest, splitText } from '../../../libs/platforms/text/split';
import { renderWhatsApp } from '../../../libs/platforms/whatsapp/outbound/markup';
import { expectAtMost } from '../../hostile/figures';
import { PATHOLOGICAL } from '../../load/text/texts';

const LONGEST_MS = 50;
const TRIES = 5;

const RENDERERS: Readonly<Record<string, (text: string) => unknown>> = {
  Telegram: (text) => splitText(text, 4_096).map(renderTelegramHtml),
  Discord: (text) => partsOf(text, 'markdown').map((part) => render(part, 'markdown')),
  'Discord (plain)': (text) => partsOf(text, 'plain').map((part) => render(part, 'plain')),
  'Discord (HTML)': (text) => partsOf(text, 'html').map((part) => render(part, 'html')),
  'WhatsApp (caption, HTML)': (text) =>
    splitFewest(text, 4_096, 1_024).map(({ body }) => renderWhatsApp(body, 'html', 4_096)),
  WhatsApp: (text) => splitText(text, 4_096).map((part) => renderWhatsApp(part, 'markdown', 4_096)),
};

/** The best of several tries in milliseconds of this thread's CPU: what else runs on the machine does not count. */
function bestOf(work: () => unknown): number {
  let best = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

it.each(Object.keys(RENDERERS))('no text of 16,384 characters blocks the renderer of %s for 50 ms', (platform) => {
  const renderer = RENDERERS[platform]!;
  let slowest = 0;
  for (const text of Object.values(PATHOLOGICAL))
    slowest = Math.max(
      slowest,
      bestOf(() => renderer(text)),
    );
  expectAtMost({ name: `slowest text for ${platform}`, value: slowest, unit: 'ms', most: LONGEST_MS });
});

// A renderer that is quadratic takes sixteen times as long for it, not four.
it.each(Object.keys(RENDERERS))('four times the text blocks the renderer of %s for 200 ms at most', (platform) => {
  const renderer = RENDERERS[platform]!;
  const slowest = Math.max(...Object.values(PATHOLOGICAL).map((text) => bestOf(() => renderer(text.repeat(4)))));
  expectAtMost({ name: `slowest text of 65,536 characters for ${platform}`, value: slowest, unit: 'ms', most: 200 });
});
