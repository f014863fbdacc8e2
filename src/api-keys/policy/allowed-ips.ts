import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Whether a list of addresses and CIDR ranges contains an address. An empty list allows every address. */
export function isAllowedIp(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  return allowed.some((entry) => contains(parseRange(entry)!, [ip, bitsOf(ip)]));
}

/**
 * The canonical text of an address or CIDR range: IPv4-mapped IPv6 as IPv4, IPv6 as in RFC 5952, ranges by their first
 * address. Undefined if the text is neither; IPv4 must have four decimal parts.
 */
export function normalizeRange(text: string): string | undefined {
  const range = parseRange(text);
  if (!range) return undefined;
  const [address, bits] = range;
  return text.includes('/') ? `${firstOf(address, bits).toString()}/${bits}` : address.toString();
}

/** Whether `current` allows every address that `next` allows. */
export function isNarrowing(current: readonly string[], next: readonly string[]): boolean {
  if (current.length === 0) return true;
  if (next.length === 0) return false;
  return next.every((entry) => current.some((range) => contains(parseRange(range)!, parseRange(entry)!)));
}

function parseRange(text: string): [Address, number] | undefined {
  const [address = '', mask, ...rest] = text.split('/');
  if (rest.length > 0) return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !(ipaddr.IPv6.isValid(address) && !address.includes('%'))) {
    return undefined;
  }
  const parsed = ipaddr.parse(address);
  const bits = mask === undefined ? bitsOf(parsed) : /^\d{1,3}$/.test(mask) ? Number(mask) : NaN;
  if (!(bits <= bitsOf(parsed))) return undefined;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96) {
    return [parsed.toIPv4Address(), bits - 96];
  }
  return [parsed, bits];
}

function contains([range, bits]: [Address, number], [inner, innerBits]: [Address, number]): boolean {
  return range.kind() === inner.kind() && innerBits >= bits && inner.match(range, bits);
}

function bitsOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128;
}

function firstOf(address: Address, bits: number): Address {
  const bytes = address
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.max(0, Math.min(8, bits - index * 8))));
  return ipaddr.fromByteArray(bytes);
}
