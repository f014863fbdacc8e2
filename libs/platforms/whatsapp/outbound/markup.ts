import type { ParseMode } from '#contracts';
import { decode, hrefOf, isCode } from '../../text/html-entities';
import { renderTelegramHtml } from '../../text/markdown-html';

/** Tag → the mark that stands on both sides: https://faq.whatsapp.com/539178204879377 */
const MARKS: Readonly<Record<string, string>> = {
  b: '*',
  strong: '*',
  i: '_',
  em: '_',
  s: '~',
  strike: '~',
  del: '~',
  code: '`',
  pre: '```',
  // A known tag that WhatsApp cannot show.
  u: '',
  ins: '',
  span: '',
  'tg-spoiler': '',
};
const TAG = /<(\/?)([a-z][a-z-]*)((?:\s[^<>]*)?)\/?>/gi;

/**
 * Renders a text in WhatsApp's own markup. Plain text stays as it is: WhatsApp knows no way to write a literal `*`, so a
 * `*word*` in it is shown bold. HTML also stays as it is if its tags are not balanced, or if the result would be too long.
 * @param limit longest result, in UTF-16 code units
 */
export function renderWhatsApp(text: string, mode: ParseMode, limit: number): string {
  if (mode === 'plain') return text;
  const rendered = fromHtml(mode === 'markdown' ? renderTelegramHtml(text) : text);
  return rendered === undefined || rendered.length > limit || rendered.trim() === '' ? text : rendered;
}

/** Undefined when the tags are not balanced. */
function fromHtml(html: string): string | undefined {
  const writer = new Writer();
  let at = 0;
  for (const { 0: tag, 1: slash, 2: name = '', 3: attributes = '', index } of html.matchAll(TAG)) {
    writer.write(decode(html.slice(at, index)));
    at = index + tag.length;
    const known = name.toLowerCase();
    if (known === 'br') writer.write('\n');
    else if (!Object.hasOwn(MARKS, known) && known !== 'a' && known !== 'blockquote') writer.write(decode(tag));
    else if (!slash) writer.open(known, attributes);
    else if (!writer.close(known)) return undefined;
  }
  writer.write(decode(html.slice(at)));
  return writer.result;
}

interface Open {
  tag: string;
  /** Its closing mark. */
  mark: string;
  /** Where its text begins in the result, and where it leads to. */
  link?: { from: number; href: string };
}

class Writer {
  private text = '';
  private readonly opened: Open[] = [];
  /** Those that are open, from the outside in. */
  private readonly marks = new Set<string>();
  private codeDepth = 0;
  private quoteDepth = 0;

  /** Undefined while something is open. */
  get result(): string | undefined {
    return this.opened.length === 0 ? this.text : undefined;
  }

  write(words: string): void {
    if (words === '') return;
    const marks = this.codeDepth > 0 ? [] : [...this.marks];
    const quoted = this.quoteDepth > 0 ? '> ' : '';
    if ((marks.length === 0 && quoted === '') || !words.includes('\n')) {
      this.text += words;
      return;
    }
    // Marks do not reach over lines, and every line of a quotation has its own.
    this.text += words.replaceAll('\n', `${marks.toReversed().join('')}\n${quoted}${marks.join('')}`);
  }

  open(tag: string, attributes: string): void {
    const href = tag === 'a' ? hrefOf(attributes) : undefined;
    const mark = this.markOf(tag);
    if (tag === 'blockquote') {
      this.text += '> ';
      this.quoteDepth += 1;
    }
    this.text += tag === 'pre' ? `${mark}\n` : mark;
    this.opened.push({ tag, mark, ...(href && { link: { from: this.text.length, href } }) });
    if (isCode(tag)) this.codeDepth += 1;
    if (mark) this.marks.add(mark);
  }

  close(tag: string): boolean {
    const last = this.opened.at(-1);
    if (last?.tag !== tag) return false;
    this.opened.pop();
    if (isCode(tag)) this.codeDepth -= 1;
    if (tag === 'blockquote') this.quoteDepth -= 1;
    this.marks.delete(last.mark);
    this.text += tag === 'pre' ? `\n${last.mark}` : last.mark;
    if (last.link) this.text += this.destination(last.link);
    return true;
  }

  /** Text within code, and text that has markup already, stays as it is. */
  private markOf(tag: string): string {
    const mark = MARKS[tag] ?? '';
    return this.codeDepth > 0 || this.marks.has(mark) ? '' : mark;
  }

  private destination({ from, href }: { from: number; href: string }): string {
    const shown = this.text.slice(from);
    return shown === href || `https://${shown}` === href || `http://${shown}` === href ? '' : ` (${href})`;
  }
}
