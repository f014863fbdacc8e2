import type { ParseMode } from '#contracts';
import { htmlToMarkdown } from '../../libs/platforms/discord/outbound/html-markdown';
import { render } from '../../libs/platforms/discord/outbound/rendering';
import { renderTelegramHtml } from '../../libs/platforms/text/markdown-html';
import { renderWhatsApp } from '../../libs/platforms/whatsapp/outbound/markup';
import { DiscordHarness } from './discord.harness';
import type { ConformanceHarness } from './harness';
import { TelegramHarness } from './telegram.harness';
import { WhatsAppHarness } from './whatsapp.harness';

/** How a platform splits texts and counts their length. */
export interface TextPlatform {
  name: string;
  start: () => Promise<ConformanceHarness>;
  /** The text that the adapter cuts into parts. */
  source: (text: string, mode: ParseMode) => string;
  /** The part as the platform counts it: its length in UTF-16 code units (the strictest reading) is at most `maxTextLength`. */
  counted: (part: string, mode: ParseMode) => string;
  /** Whether the platform reads code fences in this mode. */
  fences: (mode: ParseMode) => boolean;
}

const itself = (text: string): string => text;

export const TEXT_PLATFORMS: readonly TextPlatform[] = [
  {
    name: 'Telegram',
    start: () => TelegramHarness.start(),
    source: itself,
    // Telegram counts the length "after entities parsing".
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
    // The adapter escapes plain text: a fence is ordinary text there, and escapes may make the adapter cut within it.
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
