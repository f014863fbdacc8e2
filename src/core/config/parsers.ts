import { isIP } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { API_KEY_FORM } from '#contracts';

/** Parses the text of an environment variable. */
export interface Parser<T> {
  /** The accepted values, to complete the sentence "accepted: …". */
  readonly accepts: string;
  /** The value, or undefined if the text is invalid. The text is trimmed and not empty, unless it is a default. */
  parse(text: string): T | undefined;
}

function pattern(accepts: string, expression: RegExp): Parser<string> {
  return { accepts, parse: (text) => (expression.test(text) ? text : undefined) };
}

export const host = pattern(
  'a host name or an IP address',
  // RFC 1123 labels (which also cover IPv4), or the characters of IPv6; the listener checks the address itself.
  /^(?:(?!-)[A-Za-z0-9-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.%a-z]*)$/,
);

/** Secrets travel in HTTP headers or URL paths: visible ASCII, no space. */
export const credential = pattern('visible ASCII characters without spaces', /^[\x21-\x7e]+$/);
export const anyText = pattern('any text', /^[^\0]+$/);
/** In characters. */
export const SHORTEST_SECRET = 16;
/** Keys of HMACs and encryption: a shorter one could be guessed. */
export const secretKey = pattern(
  `at least ${SHORTEST_SECRET} characters`,
  new RegExp(String.raw`^[^\0]{${SHORTEST_SECRET},}$`, 'u'),
);
export const telegramToken = pattern('a token from @BotFather, like 123456:ABC-DEF', /^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/);
/** https://core.telegram.org/bots/api#setwebhook, secret_token */
export const telegramWebhookSecret = pattern('1 to 256 of A-Z a-z 0-9 _ -', /^[A-Za-z0-9_-]{1,256}$/);
export const pathSegment = pattern('letters, digits, _ and -', /^[A-Za-z0-9_-]+$/);
export const apiKey = pattern('service_sk_live_ or service_sk_test_ and 32 letters or digits', API_KEY_FORM);
export const otlpHeader = pattern(
  'name=value',
  /^\s*[\w!#$%&'*+.^`|~-]+\s*=\s*(?:(?:%[\dA-Fa-f]{2}|[\x21-\x24\x26-\x2b\x2d-\x7e])+\s*)?$/,
);
export const modelName = pattern('a model name without spaces', /^[\x21-\x7e]{1,200}$/);

const ADDRESS = String.raw`[^\s@<>,;"]+@[^\s@<>,;"]+`;
export const emailAddress = pattern('an e-mail address', new RegExp(`^${ADDRESS}$`));
export const mailbox = pattern(
  'an e-mail address, optionally with a name: Gateway <gateway@example.com>',
  new RegExp(`^(?:${ADDRESS}|[^<>\\r\\n]*<${ADDRESS}>)$`),
);

export const boolean: Parser<boolean> = {
  accepts: 'true, false, 1 or 0',
  parse: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()],
};

export function integer(minimum: number, maximum: number): Parser<number> {
  return {
    accepts: `a whole number from ${minimum} to ${maximum}`,
    parse: (text) => within(minimum, maximum, /^\d{1,15}$/.test(text) ? Number(text) : NaN),
  };
}

export function decimal(minimum: number, maximum: number): Parser<number> {
  return {
    accepts: `a number from ${minimum} to ${maximum}`,
    parse: (text) => within(minimum, maximum, /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : NaN),
  };
}

function within(minimum: number, maximum: number, value: number): number | undefined {
  return value >= minimum && value <= maximum ? value : undefined;
}

export function oneOf<const T extends string>(...words: readonly T[]): Parser<T> {
  return { accepts: `one of ${words.join(', ')}`, parse: (text) => words.find((word) => word === text) };
}

/** A URL with one of these schemes, without the trailing slashes of its path. */
export function url(...schemes: readonly string[]): Parser<string> {
  return {
    accepts: `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    parse: (text) => {
      const parsed = URL.parse(text);
      if (!parsed || !schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`))) return undefined;
      return text.replace(/(?<!\/)\/+$/, '');
    },
  };
}

/** `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1`. */
export const objectStorage: Parser<string> = {
  accepts: 'a URL like https://KEY:SECRET@host/bucket/prefix?region=eu-central-1',
  parse: (text) => {
    const parsed = URL.parse(text);
    const isWhole = parsed && parsed.username && parsed.password && /^\/[^/]+/.test(parsed.pathname);
    return isWhole && /^https?:$/.test(parsed.protocol) ? text : undefined;
  },
};

/** A directory or file, as an absolute path; a relative one starts at the working directory. */
export const path: Parser<string> = {
  accepts: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

/** An origin as browsers send it (RFC 6454): scheme, host, port; no path. `*` means every origin. */
export const origin: Parser<string> = {
  accepts: 'an origin like https://app.example.com, or *',
  parse: (text) => {
    if (text === '*') return text;
    const parsed = URL.parse(text);
    return parsed && /^https?:$/.test(parsed.protocol) && parsed.href === `${parsed.origin}/`
      ? parsed.origin
      : undefined;
  },
};

export const ipAddress: Parser<string> = {
  accepts: 'an IP address',
  parse: (text) => (isIP(text) === 0 ? undefined : text),
};

/** A range in CIDR notation (RFC 4632, RFC 4291); a bare address is a range of one. */
export const cidr: Parser<string> = {
  accepts: 'a CIDR range like 10.0.0.0/8, or an IP address',
  parse: (text) => {
    // ipaddr.js alone would also accept the octal and shortened forms of inet_aton ("010.1", "127.1").
    const address = text.split('/')[0] ?? '';
    if (isIP(address) === 0) return undefined;
    if (address === text) return `${text}/${isIP(address) === 4 ? 32 : 128}`;
    return ipaddr.isValidCIDR(text) ? text : undefined;
  },
};

/** Items separated by commas. An empty text is an empty list, which only a default can be. */
export function list<T>(item: Parser<T>, minimum = 0, maximum = 1000): Parser<readonly T[]> {
  return {
    accepts: `${sizeOf(minimum, maximum)} separated by commas, each ${item.accepts}`,
    parse: (text) => {
      if (text === '') return minimum === 0 ? [] : undefined;
      const values = text.split(',').map((part) => item.parse(part.trim()));
      if (values.length < minimum || values.length > maximum) return undefined;
      return values.includes(undefined) ? undefined : (values as T[]);
    },
  };
}

function sizeOf(minimum: number, maximum: number): string {
  if (minimum === 0) return 'a list';
  return minimum === maximum ? `exactly ${minimum} items` : `${minimum} to ${maximum} items`;
}

/** Number of processes; `auto` means one per core. */
export const workers: Parser<number | 'auto'> = {
  accepts: 'auto, or a whole number from 1 to 256',
  parse: (text) => (text === 'auto' ? 'auto' : integer(1, 256).parse(text)),
};
