import * as fc from 'fast-check';
import { readableTarget } from './request-target';

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

  it('makes every target decodable, and does not change its own result', () => {
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
