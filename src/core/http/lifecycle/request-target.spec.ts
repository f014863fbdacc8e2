import * as fc from 'fast-check';
import { leastCpuOf, LONGEST_MS } from '../../../../test/support/least-cpu';
import { pathOf, readableTarget } from './request-target';

describe(readableTarget.name, () => {
  it.each([
    ['/a/%ZZ', '/a/%25ZZ'],
    ['/a/%C3%A9%FF/%20', '/a/%25C3%25A9%25FF/%20'],
    ['/a%', '/a%25'],
    ['/a/%ZZ?b=%ZZ', '/a/%25ZZ?b=%ZZ'],
    ['/a/%ZZ#b=%ZZ', '/a/%25ZZ#b=%ZZ'],
    ['http://host:99999/a/%ZZ', '/a/%25ZZ'],
    ['HTTPS://host?a', '/?a'],
    ['http://#/a', '/#/a'],
    ['http://http://a', '//a'],
  ])('makes %s readable', (target, readable) => {
    expect(readableTarget(target)).toBe(readable);
  });

  it.each(['/a', '/', '*', '/a%2Fb/%C3%A9%00', '/a?b=http://c', '/a?b=%ZZ', 'ftp://host/a', '//host/a'])(
    'does not rewrite %s',
    (target) => {
      expect(readableTarget(target)).toBe(target);
    },
  );

  it('makes every target decodable, and is idempotent', () => {
    const part = fc.constantFrom(
      '%',
      '%2',
      '%25',
      '%C3',
      '%A9',
      '%ED%A0%80',
      '%F0%9F%A6%8A',
      '%f',
      'a',
      '/',
      'Z',
      '%00',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const readable = readableTarget(`/${parts.join('')}`);
        expect(() => decodeURI(readable)).not.toThrow();
        expect(readableTarget(readable)).toBe(readable);
      }),
    );
  });
});

describe('a hostile path', () => {
  /** Node refuses longer headers, and the request line is one. */
  const LONGEST = 16_384;

  it.each([
    '%',
    '%ff',
    '%e2%82',
    '%5F',
    'service_sk_live_',
    'service%5Fsk%5Flive%5F',
    '/',
    '/..',
    '//a',
    'http://',
    'a?#',
    '😀',
  ])('of %s takes less than 50 ms of CPU', async (unit) => {
    const target = `/${unit.repeat(LONGEST / unit.length)}`;
    expect(await leastCpuOf(() => pathOf(readableTarget(target)))).toBeLessThan(LONGEST_MS);
  });
});
