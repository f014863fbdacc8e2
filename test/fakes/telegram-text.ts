import { EntityParseError, type MessageEntity, parseHtml } from './telegram-html';
import { TelegramFailure } from './telegram-types';

/** After entity parsing. Telegram says "characters"; the fake counts UTF-16 units, the strictest reading. */
const LONGEST_TEXT = 4096;

export interface ShownText {
  text: string;
  entities: MessageEntity[];
}

/**
 * The text as the recipient sees it: without markup, leading blank lines and trailing white space. The fake parses HTML. It
 * leaves the two Markdown modes unchanged, because the gateway does not use them.
 */
export function showText(source: string, parseMode: string): ShownText {
  const mode = parseMode.toLowerCase();
  if (!['', 'html', 'markdown', 'markdownv2'].includes(mode)) throw refused('unsupported parse_mode');
  const parsed = mode === 'html' ? parse(source) : { text: source, entities: [] };
  const start = /^(?:[^\S\n]*\n)+/.exec(parsed.text)?.[0].length ?? 0;
  const text = parsed.text.slice(start).trimEnd();
  if (text.trim() === '') throw refused('message text is empty');
  return { text, entities: parsed.entities.flatMap((entity) => within(entity, start, text.length)) };
}

export function refuseTooLong({ text }: ShownText): void {
  if (text.length > LONGEST_TEXT) throw refused('message is too long');
}

function parse(html: string): ShownText {
  try {
    return parseHtml(html);
  } catch (error) {
    if (error instanceof EntityParseError) throw refused(`can't parse entities: ${error.message}`);
    throw error;
  }
}

/** The entity relative to the trimmed text; none if it covered only removed text. */
function within(entity: MessageEntity, start: number, length: number): MessageEntity[] {
  const from = Math.max(entity.offset - start, 0);
  const to = Math.min(entity.offset - start + entity.length, length);
  return to > from ? [{ ...entity, offset: from, length: to - from }] : [];
}

function refused(reason: string): TelegramFailure {
  return new TelegramFailure(400, `Bad Request: ${reason}`);
}
