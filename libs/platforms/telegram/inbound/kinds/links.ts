import type { TelegramMessageEntity } from '@gramio/types/objects';

/** Telegram sends no more entities in a message. */
const MOST_ENTITIES = 100;
/** Telegram adds at most so much to an address that a person typed: a scheme and a slash. */
const MOST_ADDED = 20;

/** The text with the address behind each hidden link: `text (address)`. Offsets are UTF-16 units, as in JavaScript. */
export function withLinks(text: string, entities: readonly Partial<TelegramMessageEntity>[] | undefined): string {
  if (!entities) return text;
  const links = entities
    .slice(0, MOST_ENTITIES)
    .flatMap(({ type, offset = Number.NaN, length = Number.NaN, url }) =>
      type === 'text_link' && typeof url === 'string' && offset >= 0 && length > 0 ? [{ offset, length, url }] : [],
    )
    .toSorted((one, other) => one.offset + one.length - (other.offset + other.length));
  let result = '';
  let at = 0;
  for (const { offset, length, url } of links) {
    const words = text.slice(offset, offset + length).trimEnd();
    if (isAddress(words, url)) continue;
    const end = Math.max(at, Math.min(offset, text.length) + words.length);
    result += `${text.slice(at, end)} (${url})`;
    at = end;
  }
  return result + text.slice(at);
}

/** The words with their address, unless they show it. */
export function withAddress(words: string, address: string): string {
  if (words === '') return address;
  return isAddress(words, address) ? words : `${words} (${address})`;
}

function isAddress(words: string, address: string): boolean {
  if (Math.abs(words.length - address.length) > MOST_ADDED) return false;
  return bare(words) === bare(address) || (isPhoneNumber(words) && digits(words) === digits(address));
}

function bare(address: string): string {
  const start = /^(?:https?:\/\/|mailto:|tel:)/i.exec(address)?.[0].length ?? 0;
  return address.slice(start, address.endsWith('/') ? -1 : undefined).toLowerCase();
}

function isPhoneNumber(words: string): boolean {
  return /^[+\d][\d ()./-]{2,30}$/.test(words);
}

function digits(text: string): string {
  return text.replaceAll(/\D/g, '');
}
