/**
 * Matches what Discord would read as markup. The pattern skips addresses: Discord reads no markup inside them, and a backslash would
 * break them. It finds a mark first and checks the text before it afterwards (look-behind): the other way round, a text of
 * blanks would be searched again from each blank. https://support.discord.com/hc/en-us/articles/210298617
 */
const MARKUP = /https?:\/\/[^\s<>]+|[\\*_~`|[\]]|<(?=[@#:/]|(?:a|t|id):)|[#>-](?<=^[ \t]*.)|\.(?<=^[ \t]*\d+.)/gm;

/** Escapes a text so that Discord shows exactly its characters, whatever markdown is put around it. */
export function escapeMarkup(text: string): string {
  return text.replace(MARKUP, (found) => (found.startsWith('http') ? found : `\\${found}`));
}

/** An address in `<>` ends at the `>`, others end before punctuation. A backslash before a `<` that follows would become part of the address. */
const ADDRESS = /(?<=<)https?:\/\/[^\s<>]+(?=>)|https?:\/\/[^\s<]+[^\s<.,:;"'\]]<?/g;

/**
 * Characters that Discord would read as markup in a text that stands alone, by the rules of simple-markdown, which its clients read
 * with: a lone `~` or `|`, a `*` between blanks (not at the beginning of a line, where it makes a list) and what begins a
 * line without a blank after it mean nothing.
 */
const MARKUP_ALONE = new RegExp(
  [
    ADDRESS.source,
    String.raw`[\\\`_[]`,
    String.raw`\*(?:(?<!\S[ \t]+.)|(?![ \t]))`,
    String.raw`(?<=~)~|~(?=~)|(?<=\|)\||\|(?=\|)`,
    String.raw`<(?=[@#:/]|(?:a|t|id):)`,
    String.raw`[#>-](?<=^[ \t]*.)(?![0-9A-Za-z])`,
    String.raw`\.(?<=^[ \t]*\d+.)(?![0-9A-Za-z])`,
  ].join('|'),
  'gm',
);

/** Escapes a text so that Discord shows exactly its characters, with as few backslashes as possible. */
export function escapeText(text: string): string {
  const lastClosing = lastClosingInAddress(text);
  const lastLink = text.lastIndexOf('](');
  return text.replace(MARKUP_ALONE, (found, at: number) => {
    if (found.startsWith('http')) return found;
    if (found === '[' && at > lastLink) return found;
    if (found === '_' && at > lastClosing && isWithinWord(text, at)) return found;
    return `\\${found}`;
  });
}

/** An underscore begins emphasis anywhere, but ends it only before a character that is not part of a word. */
function isWithinWord(text: string, at: number): boolean {
  return /^[0-9A-Za-z]_[0-9A-Za-z]$/.test(text.slice(Math.max(at - 1, 0), at + 2));
}

/** Position of the last underscore that may end emphasis and cannot be escaped; -1 without one. */
function lastClosingInAddress(text: string): number {
  const closings = [...text.matchAll(ADDRESS)].map(({ 0: address, index }) => {
    const within = [...address.matchAll(/_(?![0-9A-Za-z])/g)].at(-1)?.index;
    return within === undefined ? -1 : index + within;
  });
  return Math.max(-1, ...closings);
}
