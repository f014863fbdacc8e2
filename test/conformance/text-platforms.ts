import type { ParseMode } from '#contracts';
import { htmlToMarkdown } from '../../libs/platforms/discord/outbound/html-markdown';
import { render } from '../../libs/platforms/discord/outbound/rendering';
import { renderTelegramHtml } from '../../libs/platforms/text/markdown-html';
import { renderWhatsApp } from '../../libs/platforms/whatsapp/outbound/markup';
import { DiscordHarness } from './discord.harness';
import type { ConformanceHarness } from './harness';
import { TelegramHarness } from './telegram.harness';
import { WhatsAppHarness } from './whatsapp.harness';

/** How a platform takes texts: in which unit it counts is in the column that is measured. */
export interface TextPlatform {
  name: string;
  start: () => Promise<ConformanceHarness>;
  /** What is cut, where it is not the text itself. */
  source: (text: string, mode: ParseMode) => string;
  /** What the platform counts of a part: at most its `maxTextLength`, in UTF-16 code units, the strictest reading of all. */
  counted: (part: string, mode: ParseMode) => string;
  /** Whether fences mean anything to a reader in this mode. */
  fences: (mode: ParseMode) => boolean;
}

const itself = (text: string): string => text;

export const TEXT_PLATFORMS: readonly TextPlatform[] = [
  {
    name: 'Telegram',
    start: () => TelegramHarness.start(),
    source: itself,
    // "after entities parsing"
    counted: (part, mode) =>
      mode === 'markdown'
        ? renderTelegramHtml(part)
            .replaceAll(/<[^>]*>/g, '')
            .replaceAll(/&\w+;/g, '&')
        : part,
    fences: () => true,
  },
  {
    name: 'Discord',
    start: () => DiscordHarness.start(),
    source: (text, mode) => (mode === 'html' ? htmlToMarkdown(text) : text),
    counted: (part, mode) => render(part, mode),
    // Plain text is escaped: a fence is three characters like others, and a part that grows by it is cut again there.
    fences: (mode) => mode !== 'plain',
  },
  {
    name: 'WhatsApp',
    start: () => WhatsAppHarness.start(),
    source: itself,
    counted: (part, mode) => renderWhatsApp(part, mode, 4_096),
    fences: () => true,
  },
];
