import { decode, hrefOf, isCode } from '../../text/html-entities';
import { escapeMarkup } from './escape';

/** Discord's marks for the tags that mean the same. */
const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  u: '__',
  ins: '__',
  s: '~~',
  strike: '~~',
  del: '~~',
  'tg-spoiler': '||',
  code: '`',
};
const TOKEN = /<(?<slash>\/?)(?<tag>[a-z][a-z0-9-]*)(?<attributes>\s[^<>]*)?\/?>|[^<]+|</gi;

/**
 * Renders the HTML that messengers take (bold, italic, underlined, struck, spoiler, code, links, line breaks) as Discord's
 * markdown. Other tags are shown as they are; markup that is not well-formed is no markup: the whole text is shown as it is.
 */
export function htmlToMarkdown(html: string): string {
  const open: { tag: string; end: string }[] = [];
  let markdown = '';
  let codeDepth = 0;
  for (const { 0: token, groups } of html.matchAll(TOKEN)) {
    const tag = groups?.tag?.toLowerCase();
    const inCode = codeDepth > 0;
    if (tag === 'br') markdown += '\n';
    else if (tag && isKnown(tag) && groups?.slash) {
      const last = open.pop();
      if (last?.tag !== tag) return escapeMarkup(html);
      if (isCode(tag)) codeDepth -= 1;
      markdown += last.end;
    } else if (tag && isKnown(tag)) {
      // Inside a code block, and for `<pre><code>`, an inner mark would be shown.
      const [start, end] = inCode ? ['', ''] : marksOf(tag, groups?.attributes ?? '');
      open.push({ tag, end });
      if (isCode(tag)) codeDepth += 1;
      markdown += start;
    } else markdown += inCode ? decode(token) : escapeMarkup(decode(token));
  }
  return open.length === 0 ? markdown : escapeMarkup(html);
}

function isKnown(tag: string): boolean {
  return Object.hasOwn(MARKS, tag) || tag === 'pre' || tag === 'a';
}

function marksOf(tag: string, attributes: string): [start: string, end: string] {
  if (tag === 'pre') return ['```\n', '\n```'];
  if (tag !== 'a') return [MARKS[tag]!, MARKS[tag]!];
  const address = hrefOf(attributes) ?? '';
  return /^https?:\/\/[^\s()]+$/.test(address) ? ['[', `](${address})`] : ['', ''];
}
