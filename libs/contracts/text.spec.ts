import { MAX_TEXT_LENGTH, textFault } from './text';

describe(textFault.name, () => {
  it('counts code points, not UTF-16 units', () => {
    expect(textFault('🙂'.repeat(MAX_TEXT_LENGTH))).toBeUndefined();
    expect(textFault('🙂'.repeat(MAX_TEXT_LENGTH + 1))).toBe('must be at most 16384 characters');
  });

  it.each([
    ['', 'must not be empty'],
    ['a\u0000b', 'must not contain NUL characters'],
    ['\ud83d', 'must not contain lone surrogates'],
  ])('refuses %j', (text, fault) => expect(textFault(text)).toBe(fault));
});
