import { environmentOfKey, isKey, maskKey } from '#contracts';
import { digestKey, generateKey } from './key-format';

describe(generateKey.name, () => {
  it('makes unique keys of the documented form', () => {
    const keys = Array.from({ length: 100 }, () => generateKey('test'));
    expect(keys.every((key) => /^service_sk_test_[A-Za-z0-9]{32}$/.test(key) && isKey(key))).toBe(true);
    expect(new Set(keys).size).toBe(100);
    expect(environmentOfKey(keys[0]!)).toBe('test');
  });
});

describe(isKey.name, () => {
  it.each([
    '',
    'service_sk_live_',
    `service_sk_prod_${'a'.repeat(32)}`,
    `service_sk_live_${'a'.repeat(33)}`,
    `service_sk_live_${'-'.repeat(32)}`,
  ])('refuses %j', (text) => expect(isKey(text)).toBe(false));
});

describe(maskKey.name, () => {
  it('shows only the last four characters', () => {
    expect(maskKey('live', 'ab12')).toBe('service_sk_live_…ab12');
  });
});

describe(digestKey.name, () => {
  it('depends on the pepper', () => {
    const key = generateKey('live');
    expect(digestKey(Buffer.from('one'), key)).not.toEqual(digestKey(Buffer.from('two'), key));
  });
});
