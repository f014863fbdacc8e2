import ipaddr from 'ipaddr.js';

const PREFIX_PARTS = 4;

/**
 * The address under which a client is counted: an IPv4 address, or the /64 of an IPv6 address, because one client has a
 * whole /64.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${new ipaddr.IPv6([...parts.slice(0, PREFIX_PARTS), 0, 0, 0, 0]).toString()}/64`;
}
