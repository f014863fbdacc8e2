import { isAllowedIp } from './allowed-ips';

describe(isAllowedIp.name, () => {
  it('allows every address when none is listed', () => {
    expect(isAllowedIp('203.0.113.9', [])).toBe(true);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '203.0.113.10', false],
    ['203.0.113.9', '203.0.113.0/24', true],
    ['203.0.114.9', '203.0.113.0/24', false],
    ['::ffff:203.0.113.9', '203.0.113.0/24', true],
    ['203.0.113.9', '::ffff:203.0.113.9', true],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['203.0.113.9', '2001:db8::/32', false],
    ['not an address', '0.0.0.0/0', false],
  ])('%s against %s: %s', (address, entry, expected) => {
    expect(isAllowedIp(address, [entry])).toBe(expected);
  });
});
