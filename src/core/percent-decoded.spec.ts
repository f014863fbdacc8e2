import { percentDecoded } from './percent-decoded';

describe(percentDecoded.name, () => {
  it.each([
    ['p%40ss%25', 'p@ss%'],
    ['100%', '100%'],
    ['se%cret', 'se%cret'],
    ['%FF', '%FF'],
    ['', ''],
  ])('reads %s as %s', (text, decoded) => {
    expect(percentDecoded(text)).toBe(decoded);
  });
});
