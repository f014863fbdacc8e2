/** The subset of a MessageEntity that HTML can produce. Offsets and lengths are UTF-16 code units. */
export interface MessageEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

/** Its message is the part of Telegram's 400 after `can't parse entities: `. */
export class EntityParseError extends Error {}

/** All tags that Telegram supports: https://core.telegram.org/bots/api#html-style */
const ENTITY_OF_TAG: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};

/** Telegram decodes only these four names and leaves all others unchanged. */
const NAMED_CHARACTERS: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

interface OpenTag {
  name: string;
  attributes: Record<string, string>;
  offset: number;
}

/** Parses HTML like the Bot API: unknown, unbalanced and unclosed tags are errors, `&nbsp;` is plain text. */
export function parseHtml(html: string): { text: string; entities: MessageEntity[] } {
  const open: OpenTag[] = [];
  const entities: MessageEntity[] = [];
  let text = '';
  let at = 0;
  while (at < html.length) {
    const next = html.slice(at).search(/[<&]/);
    if (next === -1) break;
    text += html.slice(at, at + next);
    at += next;
    if (html[at] === '&') {
      const { source, character } = decodeCharacter(html.slice(at));
      text += character;
      at += source.length;
      continue;
    }
    const where = `at byte offset ${Buffer.byteLength(html.slice(0, at))}`;
    const tag = /^<(\/?)([^\s>]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/.exec(html.slice(at));
    const closing = html[at + 1] === '/';
    if (!tag) throw new EntityParseError(`Unclosed ${closing ? 'end' : 'start'} tag ${where}`);
    const name = tag[2]!.toLowerCase();
    if (closing) closeTag(open, entities, name, text, where);
    else open.push(openTag(name, tag[3]!, text.length, where));
    at += tag[0].length;
  }
  text += html.slice(at);
  const unclosed = open.at(-1);
  if (unclosed) throw new EntityParseError(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  // Only a code block has a language; inline code loses it.
  for (const entity of entities) if (entity.type === 'code') delete entity.language;
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

function openTag(name: string, attributeText: string, offset: number, where: string): OpenTag {
  if (!(name in ENTITY_OF_TAG)) throw new EntityParseError(`Unsupported start tag "${name}" ${where}`);
  const attributes: Record<string, string> = {};
  for (const [, key, double, single, bare] of attributeText.matchAll(
    /([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?/g,
  ))
    attributes[key!.toLowerCase()] = decodeAll(double ?? single ?? bare ?? '');
  if (name === 'span' && attributes.class !== 'tg-spoiler')
    throw new EntityParseError(`Tag "span" must have class "tg-spoiler" ${where}`);
  return { name, attributes, offset };
}

function closeTag(open: OpenTag[], entities: MessageEntity[], name: string, text: string, where: string): void {
  const tag = open.pop();
  if (!tag) throw new EntityParseError(`Unexpected end tag ${where}`);
  if (name !== '' && name !== tag.name)
    throw new EntityParseError(`Unmatched end tag ${where}, expected "</${tag.name}>", found "</${name}>"`);
  const length = text.length - tag.offset;
  if (length === 0) return;
  const inner = entities.at(-1);
  if (tag.name === 'pre' && inner?.language && inner.offset === tag.offset && inner.length === length) {
    inner.type = 'pre';
    return;
  }
  const entity: MessageEntity = { type: ENTITY_OF_TAG[tag.name]!, offset: tag.offset, length };
  if (tag.name === 'a') entity.url = tag.attributes.href || text.slice(tag.offset);
  const language = /^language-(.+)/.exec(tag.attributes.class ?? '')?.[1];
  if (language) entity.language = language;
  entities.push(entity);
}

function decodeCharacter(source: string): { source: string; character: string } {
  const found = /^&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));?/i.exec(source);
  if (!found) return { source: '&', character: '&' };
  const [whole, hex, decimal, name] = found;
  const code = hex ? parseInt(hex, 16) : Number(decimal ?? 0);
  const character = name
    ? NAMED_CHARACTERS[name]
    : code > 0 && code < 0x10ffff
      ? String.fromCodePoint(code)
      : undefined;
  return character === undefined ? { source: '&', character: '&' } : { source: whole, character };
}

function decodeAll(source: string): string {
  return source.replace(/&[#a-z0-9]+;?/gi, (found) => {
    const decoded = decodeCharacter(found);
    return decoded.character + found.slice(decoded.source.length);
  });
}
