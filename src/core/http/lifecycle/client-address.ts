import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** An address in brackets, or one of IPv4, with or without a port: some proxies write the port, others the brackets. */
const WITH_MORE = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

/**
 * Who asks: the address of the socket, or what trusted proxies say. IPv4-mapped IPv6 addresses are shown, and matched, as
 * IPv4. What proxies pass on unread may be anything, and counts only if it is an address.
 */
export function clientAddress(request: FastifyRequest): string {
  const { headers, socket } = request;
  const forwarded = headers['x-forwarded-for'];
  // Before Fastify reads it: it would take a trusted proxy with a port for a stranger.
  if (forwarded) headers['x-forwarded-for'] = String(forwarded).split(',').map(bare).join(',');
  const { ip } = request;
  const isAddress = isIP(ip) !== 0 && !ip.includes('%');
  // Of a socket that was destroyed meanwhile nobody knows the address.
  return plain((isAddress ? ip : socket.remoteAddress) ?? '');
}

function bare(entry: string): string {
  const [, bracketed, ipv4] = WITH_MORE.exec(entry.trim()) ?? [];
  return bracketed ?? ipv4 ?? entry;
}

function plain(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}
