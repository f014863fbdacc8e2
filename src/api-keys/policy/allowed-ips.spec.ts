import { isAllowedIp, isNarrowing, normalizeRange } from './allowed-ips';

describe(normalizeRange, () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['10.1.2.255/31', '10.1.2.254/31'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::1/32', '2001:db8::/32'],
  ])('writes %s as %s', (text, expected) => {
    expect(normalizeRange(text)).toBe(expected);
  });

  it.each(['', '10', '10.0.0', '0x7f.0.0.1', '010.0.0.1', '256.1.1.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1'])(
    'refuses %j',
    (text) => {
      expect(normalizeRange(text)).toBeUndefined();
    },
  );

  it.each(['::1/129', '1.2.3.4/8/8', 'fe80::1%eth0', 'localhost', ' 10.0.0.1', '10.0.0.0/8.0'])(
    'refuses %j',
    (text) => {
      expect(normalizeRange(text)).toBeUndefined();
    },
  );
});

describe(isAllowedIp, () => {
  it.each([
    ['203.0.113.7', ['203.0.113.0/24'], true],
    ['203.0.114.7', ['203.0.113.0/24'], false],
    ['::ffff:203.0.113.7', ['203.0.113.7'], true],
    ['2001:db8::5', ['10.0.0.0/8', '2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['10.0.0.1', ['::/0'], false],
    ['10.0.0.1', [], true],
  ])('%s against %j: %s', (address, allowed, expected) => {
    expect(isAllowedIp(address, allowed)).toBe(expected);
  });
});

describe(isNarrowing, () => {
  it('treats an empty list as wider than any other list', () => {
    expect(isNarrowing([], ['10.0.0.1'])).toBe(true);
    expect(isNarrowing(['10.0.0.1'], [])).toBe(false);
  });

  it('requires each new range to be inside an old one', () => {
    expect(isNarrowing(['10.0.0.0/8', '2001:db8::/32'], ['10.2.0.0/16', '2001:db8::1'])).toBe(true);
    expect(isNarrowing(['10.0.0.0/8'], ['10.0.0.0/7'])).toBe(false);
    expect(isNarrowing(['10.0.0.0/8'], ['10.0.0.1', '11.0.0.1'])).toBe(false);
  });
});
