import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Addresses outside IANA's special ranges that belong to the operator: the agent of Azure's virtual machines
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16), which hands out their secrets.
 */
const METADATA = ['168.63.129.16/32'].map((text) => ipaddr.parseCIDR(text));

/** The range of IANA's globally reachable addresses; all other IPv6 is special or not in use. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

const WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'private',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
};

/**
 * Says which addresses requests may go to: those of the public internet, and those that the operator allows.
 * Forms of IPv6 that carry an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible) are refused whatever they carry;
 * an IPv4-mapped address is the IPv4 address that it maps.
 */
export class ForbiddenAddresses {
  private readonly allowed: Range[];

  /** @param allowedCidrs ranges that are permitted nevertheless, e.g. `127.0.0.0/8` */
  constructor(allowedCidrs: readonly string[]) {
    this.allowed = allowedCidrs.map((text) => ipaddr.parseCIDR(text));
  }

  /**
   * @param text an address in standard notation
   * @returns the kind of a forbidden address, such as "loopback"
   */
  kindOf(text: string): string | undefined {
    // A zone (fe80::1%eth0) names an interface of this machine.
    if (!ipaddr.isValid(text) || text.includes('%')) return 'malformed';
    const address = ipaddr.process(text);
    if (within(address, this.allowed)) return undefined;
    if (within(address, METADATA)) return 'metadata';
    const range = address.range();
    if (range !== 'unicast') return WORDS[range] ?? 'reserved';
    return address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST) ? 'reserved' : undefined;
  }
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match([base, bits]));
}
