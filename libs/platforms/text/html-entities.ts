/** Shared by the renderers of HTML: messengers accept a subset, which people and models write. */

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' };
const ENTITY = /&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** Decodes entities. Leaves other text as it is, and numbers without a character, such as a lone surrogate. */
export function decode(html: string): string {
  return html.replace(ENTITY, (entity, name?: string, decimal?: string, hex?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? entity;
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : entity;
  });
}

/** Where a link leads to, decoded. @param attributes of its tag, from the white space after the tag's name on */
export function hrefOf(attributes: string): string | undefined {
  const href = HREF.exec(attributes);
  return href ? decode(href[1] ?? href[2] ?? '') : undefined;
}

/** Whether the tag's text is shown as it is written. */
export function isCode(tag: string): boolean {
  return tag === 'pre' || tag === 'code';
}
