import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** An address in brackets or an IPv4 address, with or without a port: some proxies add the port, others the brackets. */
const WITH_MORE = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

const UNKNOWN = 'unknown';

export interface ClientAddress {
  clientIp: string;
  /**
   * False: a trusted proxy reports no client, or a text that is no address. Then `clientIp` is the proxy's, and keys bound
   * to addresses are refused.
   */
  isClientIpKnown: boolean;
}

/**
 * The client's address: the socket's, or the one that trusted proxies report. IPv4-mapped IPv6 addresses are shown and
 * matched as IPv4. Proxies may pass on any text, so only an address counts.
 */
export function clientAddress(request: FastifyRequest): ClientAddress {
  const { headers, socket } = request;
  const forwarded = headers['x-forwarded-for'];
  // Before Fastify reads the header: it would not recognise a trusted proxy's entry with a port.
  if (forwarded) headers['x-forwarded-for'] = String(forwarded).split(',').map(bare).join(',');
  const ip = forwarded || request.ips === undefined ? request.ip : unreportedIp(request);
  const isAddress = isIP(ip) !== 0 && !ip.includes('%');
  // A destroyed socket has no address.
  return { clientIp: withoutMapping((isAddress ? ip : socket.remoteAddress) ?? ''), isClientIpKnown: isAddress };
}

/** Without the header: the socket's address, unless the socket is a trusted proxy's, which then reports no client. */
function unreportedIp(request: FastifyRequest): string {
  request.headers['x-forwarded-for'] = UNKNOWN;
  const { ip } = request;
  delete request.headers['x-forwarded-for'];
  return ip;
}

function bare(entry: string): string {
  const [, bracketed, ipv4] = WITH_MORE.exec(entry.trim()) ?? [];
  // Fastify would skip an empty entry and take the one before it as the last.
  return (bracketed ?? ipv4 ?? entry.trim()) || UNKNOWN;
}

/** An IPv4-mapped IPv6 address as IPv4. */
export function withoutMapping(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}
