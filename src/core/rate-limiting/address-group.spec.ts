import { addressGroup } from './address-group';

describe('addressGroup', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['', ''],
  ])('counts %s as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
