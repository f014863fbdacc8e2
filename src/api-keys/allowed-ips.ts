import ipaddr from 'ipaddr.js';

/** Whether an address is one of a list of addresses and CIDR ranges. An empty list allows every address. */
export function isAllowedIp(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  return allowed.some((entry) => {
    const [range, bits] = entry.includes('/') ? ipaddr.parseCIDR(entry) : [ipaddr.process(entry), undefined];
    if (range.kind() !== ip.kind()) return false;
    return bits === undefined ? range.toString() === ip.toString() : ip.match(range, bits);
  });
}
