import * as fc from 'fast-check';
import { normalizeRange } from './allowed-ips';
import { RANGE_PATTERN } from './range-pattern';

const FORM = new RegExp(RANGE_PATTERN);

describe('RANGE_PATTERN', () => {
  it('describes only what is an address or a range', () => {
    fc.assert(
      fc.property(fc.stringMatching(FORM), (text) => expect([text, normalizeRange(text)]).not.toContain(undefined)),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/8',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '1:2:3:4:5:6:7:8/128',
    '1:2:3:4:5:6:1.2.3.4',
    '1::8',
  ])('describes %s', (text) => expect(text).toMatch(FORM));

  it('describes every address that is written in the usual ways', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => expect(address).toMatch(FORM)),
      { numRuns: 1_000, seed: 1 },
    );
  });

  it.each(['', '10', '10.0.0', '010.0.0.1', '256.1.1.1', '10.0.0.0/33', '::1/129', 'fe80::1%eth0', '1::2::3', ':1'])(
    'does not describe %j',
    (text) => expect(text).not.toMatch(FORM),
  );
});
