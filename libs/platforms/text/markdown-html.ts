import { closes, openedBy } from './fence';
import { escapeHtml, renderInline } from './markdown-inline';

/**
 * Renders common markdown in Telegram's HTML (https://core.telegram.org/bots/api#html-style): fenced and inline code,
 * bold, italic, strike-through, links to http, https and tg, quotes; headings become bold lines. Lists, tables, rules
 * and everything else stay as they were written. Tags are always balanced and never cross, whatever the input, and what
 * is shown is never longer than the source.
 */
export function renderTelegramHtml(markdown: string): string {
  const lines = markdown.split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length;) {
    const block = codeBlock(lines, at) ?? quote(lines, at) ?? heading(lines, at) ?? paragraph(lines, at);
    blocks.push(block.html);
    at += block.lines;
  }
  return blocks.join('\n');
}

interface Block {
  html: string;
  /** How many source lines it took, at least 1. */
  lines: number;
}

/** An unclosed block reaches to the end, as in CommonMark. */
function codeBlock(lines: readonly string[], at: number): Block | undefined {
  const fence = openedBy(lines[at] ?? '');
  if (!fence) return undefined;
  const end = indexAfter(lines, at, (line) => closes(line, fence));
  const code = escapeHtml(lines.slice(at + 1, end).join('\n'));
  const language = /^[\w+#.-]+/.exec(fence.info)?.[0];
  const html = language ? `<pre><code class="language-${language}">${code}</code></pre>` : `<pre>${code}</pre>`;
  return { html, lines: Math.min(end + 1, lines.length) - at };
}

const QUOTED = /^ {0,3}> ?(.*)$/;

function quote(lines: readonly string[], at: number): Block | undefined {
  const texts: string[] = [];
  for (let text; (text = QUOTED.exec(lines[at + texts.length] ?? '')?.[1]) !== undefined;) texts.push(text);
  if (texts.length === 0) return undefined;
  return { html: `<blockquote>${renderInline(texts.join('\n'))}</blockquote>`, lines: texts.length };
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(?![ \t])(.*)$/;
const BLANK_END = /(?<![ \t])[ \t]+$/;
const CLOSING_MARKS = /(?<![ \t])[ \t]+#+$/;

function heading(lines: readonly string[], at: number): Block | undefined {
  const text = HEADING.exec(lines[at] ?? '')?.[1]
    ?.replace(BLANK_END, '')
    .replace(CLOSING_MARKS, '');
  if (!text) return undefined;
  return { html: `<b>${renderInline(text)}</b>`, lines: 1 };
}

/** Lines up to a blank one, or to one that starts another block: emphasis may reach over lines, not over paragraphs. */
function paragraph(lines: readonly string[], at: number): Block {
  const end = indexAfter(lines, at, startsAnother);
  return { html: renderInline(lines.slice(at, end).join('\n')), lines: end - at };
}

/** The first line after `at` for which `is` is true, or the end. */
function indexAfter(lines: readonly string[], at: number, is: (line: string) => boolean): number {
  let index = at + 1;
  while (index < lines.length && !is(lines[index]!)) index += 1;
  return index;
}

function startsAnother(line: string): boolean {
  // A list item is a block of its own: the asterisk that marks the next one must not close emphasis here.
  const block = QUOTED.test(line) || HEADING.test(line) || /^\s*(?:[-*+]|\d+[.)])\s/.test(line);
  return line.trim() === '' || block || openedBy(line) !== undefined;
}
