import { type InlineToken, resolveEmphasis } from './markdown-emphasis';

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes for element text and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => NAMED[character] ?? character);
}

const TEXT = /[^\\`*_~[!<&>"]+/y;
const ESCAPE = /\\([!-/:-@[-`{-~])/y;
const BACKTICKS = /`+/y;
const DELIMITERS = /\*+|_+|~+/y;
const AUTOLINK = /<(https?:\/\/[^\s<>]+)>/y;
const DESTINATION =
  /\(\s*<?((?:https?|tg):\/\/[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/iy;

/** Renders the inline markup of one paragraph. `inLink`: links within a link stay text. */
export function renderInline(text: string, inLink = false): string {
  const tokens: InlineToken[] = [];
  const literal = (html: string): void => void tokens.push({ html });
  const searched: Searched = { unclosed: new Set() };
  for (let at = 0; at < text.length;) {
    const plain = matchAt(TEXT, text, at);
    if (plain) {
      literal(plain[0]);
      at += plain[0].length;
      continue;
    }
    const found = escaped(text, at) ?? codeSpan(text, at, searched) ?? (inLink ? undefined : link(text, at, searched));
    if (found) {
      literal(found.html);
      at = found.end;
      continue;
    }
    const run = matchAt(DELIMITERS, text, at)?.[0];
    if (run) tokens.push({ run, before: text[at - 1], after: text[at + run.length] });
    else literal(escapeHtml(text[at] ?? ''));
    at += run?.length ?? 1;
  }
  return resolveEmphasis(tokens);
}

/** What is known of the paragraph: without it, a text of opening marks would be searched once for each of them. */
interface Searched {
  /** Lengths of runs of backticks after which there is no run of the same length. */
  unclosed: Set<number>;
  /** Opening bracket → closing bracket. */
  brackets?: ReadonlyMap<number, number>;
}

interface Found {
  html: string;
  end: number;
}

function escaped(text: string, at: number): Found | undefined {
  const character = matchAt(ESCAPE, text, at)?.[1];
  return character === undefined ? undefined : { html: escapeHtml(character), end: at + 2 };
}

/** Backticks without an equally long run after them are text, all of them. */
function codeSpan(text: string, at: number, { unclosed }: Searched): Found | undefined {
  const run = matchAt(BACKTICKS, text, at)?.[0];
  if (!run) return undefined;
  const start = at + run.length;
  if (unclosed.has(run.length)) return { html: run, end: start };
  for (let end = start; (end = text.indexOf('`', end)) !== -1;) {
    const other = matchAt(BACKTICKS, text, end)?.[0] ?? '';
    if (other.length === run.length) {
      const code = text.slice(start, end).replace(/^ (.*\S.*) $/s, '$1');
      return { html: `<code>${escapeHtml(code)}</code>`, end: end + run.length };
    }
    end += other.length;
  }
  unclosed.add(run.length);
  return { html: run, end: start };
}

function link(text: string, at: number, searched: Searched): Found | undefined {
  const address = matchAt(AUTOLINK, text, at);
  if (address?.[1]) return { html: anchor(address[1], escapeHtml(address[1])), end: at + address[0].length };

  // An image is shown as a link to it: Telegram has no inline images.
  const open = text.startsWith('![', at) ? at + 1 : at;
  if (text[open] !== '[') return undefined;
  searched.brackets ??= pairsOfBrackets(text);
  const close = searched.brackets.get(open);
  const destination = close === undefined ? null : matchAt(DESTINATION, text, close + 1);
  if (close === undefined || !destination?.[1]) return undefined;
  const label = text.slice(open + 1, close);
  if (label.trim() === '') return undefined;
  return { html: anchor(destination[1], renderInline(label, true)), end: close + 1 + destination[0].length };
}

function anchor(address: string, label: string): string {
  return `<a href="${escapeHtml(address)}">${label}</a>`;
}

function pairsOfBrackets(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '[') open.push(at);
    else if (text[at] === ']' && open.length > 0) pairs.set(open.pop()!, at);
  }
  return pairs;
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
