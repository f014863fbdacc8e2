/** The markup of a text. `whatsapp`: *bold* _italic_ ~strike~; `markdown`: **bold** *italic* ~~strike~~ [link](url). */
export type Dialect = 'whatsapp' | 'markdown';

export type Mark = 'bold' | 'italic' | 'strike' | 'underline' | 'spoiler';
export type MarkupNode =
  | { kind: 'text'; text: string }
  | { kind: 'code' | 'block'; text: string }
  | { kind: 'link'; url: string; children: MarkupNode[] }
  | { kind: Mark; children: MarkupNode[] };

/** Longer marks come first, so that `**` is not read as `*`. */
const MARKS: Readonly<Record<Dialect, readonly (readonly [string, Mark])[]>> = {
  whatsapp: [
    ['*', 'bold'],
    ['_', 'italic'],
    ['~', 'strike'],
  ],
  markdown: [
    ['**', 'bold'],
    ['__', 'underline'],
    ['~~', 'strike'],
    ['||', 'spoiler'],
    ['*', 'italic'],
    ['_', 'italic'],
  ],
};
const SPECIAL = /[*_~|`[]|https?:\/\//g;
const LINK = /\[(?<words>[^\][\n]{1,500})\]\((?<url>https?:\/\/[^\s()]{1,2000})\)/y;
const ADDRESS = /https?:\/\/[^\s<>"']{1,2000}/y;
const WORD = /[\p{L}\p{N}]/u;
const MOST_LEVELS = 5;
/** Maximum number of closing marks to try, so that a text of marks alone stays cheap. */
const MOST_ENDS = 20;

interface Found {
  node: MarkupNode;
  end: number;
}

/** Parses a text. A mark without an end is plain text. */
export function parseMarkup(text: string, dialect: Dialect, level = 0): MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let shown = 0;
  const special = new RegExp(SPECIAL);
  for (let match = special.exec(text); match; match = special.exec(text)) {
    const found = level < MOST_LEVELS ? nodeAt(text, match.index, dialect, level) : undefined;
    if (!found) continue;
    if (match.index > shown) nodes.push({ kind: 'text', text: text.slice(shown, match.index) });
    nodes.push(found.node);
    shown = found.end;
    special.lastIndex = found.end;
  }
  if (shown < text.length) nodes.push({ kind: 'text', text: text.slice(shown) });
  return nodes;
}

function nodeAt(text: string, at: number, dialect: Dialect, level: number): Found | undefined {
  if (text[at] === '`') return codeAt(text, at, dialect);
  if (text[at] === 'h') return addressAt(text, at);
  if (text[at] === '[') return dialect === 'markdown' ? linkAt(text, at, level) : undefined;
  for (const [mark, kind] of MARKS[dialect]) {
    const end = text.startsWith(mark, at) ? endOf(text, at, mark) : undefined;
    if (end === undefined) continue;
    const children = parseMarkup(text.slice(at + mark.length, end), dialect, level + 1);
    return { node: { kind, children }, end: end + mark.length };
  }
  return undefined;
}

/** Marks are at word boundaries, like `*this*` and unlike `2 * 3 * 4` or `snake_case_name`, and end in the same line. */
function endOf(text: string, at: number, mark: string): number | undefined {
  const isEdge = (character: string | undefined) => character === undefined || !WORD.test(character);
  const first = text[at + mark.length];
  if (first === undefined || /\s/.test(first) || first === mark[0] || !isEdge(text[at - 1])) return undefined;
  const newline = text.indexOf('\n', at);
  const limit = newline === -1 ? text.length : newline;
  let end = text.indexOf(mark, at + mark.length + 1);
  for (let tries = 0; end !== -1 && end < limit && tries < MOST_ENDS; tries++) {
    const isInLonger = mark.length === 1 && text[end + 1] === mark && text[end - 1] !== mark;
    if (!isInLonger && !/\s/.test(text[end - 1]!) && isEdge(text[end + mark.length])) return end;
    end = text.indexOf(mark, end + (isInLonger ? 2 : 1));
  }
  return undefined;
}

function codeAt(text: string, at: number, dialect: Dialect): Found | undefined {
  const fence = text.startsWith('```', at) ? '```' : '`';
  const end = text.indexOf(fence, at + fence.length);
  const code = text.slice(at + fence.length, end);
  if (end === -1 || code.trim() === '' || (fence === '`' && code.includes('\n'))) return undefined;
  // In Markdown, the first line of a block may be the name of a language.
  const body = dialect === 'markdown' ? code.replace(/^\w*\n/, '') : code;
  const words = fence === '```' ? body.replace(/^\n|\n$/g, '') : code;
  return { node: { kind: fence === '`' ? 'code' : 'block', text: words }, end: end + fence.length };
}

function linkAt(text: string, at: number, level: number): Found | undefined {
  LINK.lastIndex = at;
  const { words, url } = LINK.exec(text)?.groups ?? {};
  if (words === undefined || url === undefined) return undefined;
  const children = parseMarkup(words, 'markdown', Math.max(level + 1, MOST_LEVELS - 1));
  return { node: { kind: 'link', url, children: withoutLinks(children) }, end: LINK.lastIndex };
}

function withoutLinks(nodes: readonly MarkupNode[]): MarkupNode[] {
  return nodes.flatMap((node) => (node.kind === 'link' ? node.children : [node]));
}

function addressAt(text: string, at: number): Found | undefined {
  ADDRESS.lastIndex = at;
  const found = ADDRESS.exec(text)?.[0];
  // Punctuation after a URL belongs to the sentence.
  const url = found?.replace(/(?<![.,;:!?)\]}*_~|])[.,;:!?)\]}*_~|]+$/, '');
  if (!url || !URL.canParse(url)) return undefined;
  return { node: { kind: 'link', url, children: [{ kind: 'text', text: url }] }, end: at + url.length };
}

/** The words of a text, without the signs of its markup. */
export function withoutMarkup(text: string, dialect: Dialect): string {
  const wordsOf = (node: MarkupNode): string => ('text' in node ? node.text : node.children.map(wordsOf).join(''));
  return parseMarkup(text, dialect).map(wordsOf).join('');
}
