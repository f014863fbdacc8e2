import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** An address in brackets or an IPv4 address, with or without a port: some proxies add the port, others the brackets. */
const WITH_MORE = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

/**
 * The client's address: that of the socket, or the one that trusted proxies report. IPv4-mapped IPv6 addresses are shown and
 * matched as IPv4. Proxies may pass on any text, so only an address counts.
 */
export function clientAddress(request: FastifyRequest): string {
  const { headers, socket } = request;
  const forwarded = headers['x-forwarded-for'];
  // Before Fastify reads the header: it would not recognise a trusted proxy that has a port.
  if (forwarded) headers['x-forwarded-for'] = String(forwarded).split(',').map(bare).join(',');
  const { ip } = request;
  const isAddress = isIP(ip) !== 0 && !ip.includes('%');
  // A destroyed socket has no address.
  return plain((isAddress ? ip : socket.remoteAddress) ?? '');
}

function bare(entry: string): string {
  const [, bracketed, ipv4] = WITH_MORE.exec(entry.trim()) ?? [];
  return bracketed ?? ipv4 ?? entry;
}

function plain(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}
